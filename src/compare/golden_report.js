// What can be clicked in the report of golden pictures: the filters, and for each case that
// has an expected picture zoom, drag and slider. All pictures of a case show the same place.
"use strict";

const cases = [...document.querySelectorAll(".case")];

// ---- filters ----

let wanted = "";
const search = document.querySelector("input[type=search]");

function applyFilters() {
    const words = search.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const one of cases) {
        const text = one.dataset.text ??= one.innerText.toLowerCase();
        const hide = (wanted && one.dataset.state !== wanted) ||
            !words.every(word => text.includes(word));
        one.hidden = hide;
        shown += !hide;
    }
    document.querySelector(".empty").hidden = shown > 0;
}

for (const button of document.querySelectorAll("[data-filter]")) {
    button.addEventListener("click", () => {
        wanted = button.dataset.filter;
        for (const other of document.querySelectorAll("[data-filter]"))
            other.setAttribute("aria-pressed", other === button);
        applyFilters();
    });
}
search.addEventListener("input", applyFilters);

// ---- one case ----

function element(tag, attributes = {}, text = "") {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes))
        made.setAttribute(name, value);
    made.textContent = text;
    return made;
}

class Viewer {
    constructor(one) {
        this.views = one.querySelector(".views");
        this.boxes = [...this.views.querySelectorAll(".view")];
        this.images = [...this.views.querySelectorAll("img")];
        this.width = Math.max(...this.images.map(image => +image.getAttribute("width")));
        this.height = Math.max(...this.images.map(image => +image.getAttribute("height")));
        this.zoom = 0; // 0: as large as there is room
        this.x = this.y = 0; // the picture's point in the top left corner
        this.addTools();
        this.views.classList.add("zooming");
        for (const box of this.boxes)
            this.addDragging(box);
        this.draw();
    }

    addTools() {
        const tools = element("div", { class: "tools" });
        const add = (name, text, action) => {
            const button = element("button", { "data-do": name, title: name }, text);
            button.addEventListener("click", action);
            tools.append(button);
            return button;
        };
        this.side = add("side by side", "Side by side", () => this.slide(false));
        this.slider = add("slider", "Slider", () => this.slide(true));
        this.slider.hidden = !this.views.querySelector(".expected");
        this.at = element("input", { class: "at", type: "range", min: 0, max: 1000, value: 500,
            "aria-label": "where the slider is" });
        this.at.addEventListener("input", () => this.place());
        tools.append(element("span", { class: "gap" }));
        add("zoom out", "\u2212", () => this.zoomBy(0.5));
        this.shown = element("output");
        tools.append(this.shown);
        add("zoom in", "+", () => this.zoomBy(2));
        add("one to one", "1:1", () => this.zoomBy(1 / this.scale()));
        add("fit", "Fit", () => { this.zoom = this.x = this.y = 0; this.draw(); });
        tools.append(element("span", { class: "gap" }), this.at);
        this.views.before(tools);
        this.slide(false);
    }

    // The size of a view, which its pictures never change.
    box() {
        const first = this.boxes.find(box => box.offsetParent) || this.boxes[0];
        return { width: first.clientWidth || 1, height: first.clientHeight || 1 };
    }

    fit() {
        return Math.min(this.box().width / this.width, this.limit() / this.height, 16);
    }

    limit() {
        return Math.max(240, window.innerHeight * 0.62);
    }

    scale() {
        return this.zoom || this.fit();
    }

    // Keeps the middle where it is, or the point of an event.
    zoomBy(factor, left = this.box().width / 2, top = this.box().height / 2) {
        const old = this.scale(), now = Math.min(64, Math.max(this.fit() / 2, old * factor));
        this.x += left / old - left / now;
        this.y += top / old - top / now;
        this.zoom = now;
        this.draw();
    }

    move(left, top) {
        this.x -= left / this.scale();
        this.y -= top / this.scale();
        this.draw();
    }

    draw() {
        // Under the slider the view is as wide as the picture, where there is room.
        const room = Math.min(16, this.limit() / this.height);
        this.views.style.setProperty("--wide", Math.max(120, Math.ceil(this.width * room)) + "px");
        const scale = this.scale(), height = Math.min(this.limit(), this.height * this.fit());
        this.views.style.setProperty("--height", Math.max(60, Math.round(height)) + "px");
        const { width } = this.box();
        const clamp = (at, room, size) => size <= room ? (size - room) / 2
            : Math.min(Math.max(at, 0), size - room);
        this.x = clamp(this.x, width / scale, this.width);
        this.y = clamp(this.y, Math.max(60, height) / scale, this.height);
        for (const image of this.views.querySelectorAll("img")) {
            image.style.transform =
                `translate(${-this.x * scale}px, ${-this.y * scale}px) scale(${scale})`;
            image.classList.toggle("large", scale >= 2);
        }
        this.shown.textContent = Math.round(scale * 100) + "%";
    }

    addDragging(box) {
        let last = null;
        box.addEventListener("pointerdown", event => {
            last = event;
            box.setPointerCapture(event.pointerId);
            event.preventDefault();
        });
        box.addEventListener("pointermove", event => {
            if (!last)
                return;
            if (last.target.classList.contains("handle"))
                this.drag(event, box);
            else
                this.move(event.clientX - last.clientX, event.clientY - last.clientY);
            last = { clientX: event.clientX, clientY: event.clientY, target: last.target };
        });
        for (const end of ["pointerup", "pointercancel"])
            box.addEventListener(end, () => { last = null; });
        box.addEventListener("wheel", event => {
            if (!event.ctrlKey) // the page scrolls
                return;
            event.preventDefault();
            const place = box.getBoundingClientRect();
            this.zoomBy(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - place.left,
                event.clientY - place.top);
        }, { passive: false });
    }

    // ---- the slider ----

    drag(event, box) {
        const place = box.getBoundingClientRect();
        this.at.value = 1000 * (event.clientX - place.left) / place.width;
        this.place();
    }

    place() {
        this.views.style.setProperty("--at", this.at.value / 10 + "%");
    }

    slide(on) {
        this.side.setAttribute("aria-pressed", !on);
        this.slider.setAttribute("aria-pressed", on);
        this.at.hidden = !on;
        this.views.classList.toggle("sliding", on);
        this.views.querySelector(".over")?.remove();
        this.views.querySelector(".handle")?.remove();
        const caption = this.views.querySelector(".expected figcaption");
        if (on) {
            const over = element("div", { class: "over" });
            over.append(this.views.querySelector(".actual img").cloneNode());
            const box = this.views.querySelector(".expected .view");
            box.append(over, element("div", { class: "handle" }));
        }
        if (caption)
            caption.textContent = on ? "Actual on the left, expected on the right" : "Expected";
        this.place();
        this.draw();
    }
}

const viewers = cases
    .filter(one => one.dataset.state !== "same" && one.querySelector("img"))
    .map(one => new Viewer(one));
window.addEventListener("resize", () => viewers.forEach(viewer => viewer.draw()));
