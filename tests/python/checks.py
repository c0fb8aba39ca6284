"""What the tests of the Python package share: checks that go on after a failure."""
import stencil

failures = []


def check(good, text):
    if not good:
        failures.append(text)


def raises(kind, sentence, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except kind as error:
        check(isinstance(error, stencil.Error) and sentence in str(error), f"{error!r}")
    else:
        check(False, f"no error: {sentence}")
