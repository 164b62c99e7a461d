"""The explorer in a real browser: Chromium without a window, driven by Playwright."""

import importlib.util
import shutil

import numpy as np
import pytest

import srcad

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("playwright") is None, reason="Playwright is not installed"
    ),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


def act(z):
    return np.tanh(z)


def loss(w, x, kind="</script><script>document.evil = 1</script>"):
    y = x
    for k in range(3):
        y = act(w * y)
    if kind == "<img src=x onerror='document.evil = 1'>":
        return np.sum(y)
    s = np.mean(y)
    return 2 * s


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    x = np.linspace(0.1, 0.9, 4)
    return srcad.grad(loss).explore(x, x, path=tmp_path_factory.mktemp("browser") / "page.html")


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Chromium's own sandbox is not for root.
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def page(browser, path):
    opened = browser.new_page(viewport={"width": 1300, "height": 800})
    said = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda problem: said.append(str(problem)))
    opened.on("request", lambda request: said.append(request.url))
    opened.goto(path.as_uri())
    yield opened
    # The page itself is all that was asked for, and nothing was complained of.
    assert [text for text in said if text != path.as_uri() and text != "data:,"] == []
    opened.close()


def line(page, side, text):
    return page.locator(f"#{side} tr.line:visible", has_text=text).first


def lit(page, side):
    rows = page.locator(f"#{side} tr.lit:visible, #{side} tr.kept:visible")
    return [text.split("\t")[-1].strip() for text in rows.all_inner_texts()]


def test_a_line_lights_up_its_lines(page):
    assert lit(page, "left") == lit(page, "right") == []
    line(page, "left", "y = act(").hover()
    found = lit(page, "right")
    assert any("y = np.tanh(w * y)" in text for text in found)
    assert any("w_bar" in text for text in found)
    assert not any("range" in text for text in found)
    assert "saves y\ntape of 4, 96 bytes" in page.locator("#details").inner_text()
    line(page, "right", "for k in range(3):").hover()
    assert [text.split("  ")[0] for text in lit(page, "left")] == [
        "for k in range(3):k int 0 to 2 x3"
    ]


def test_a_click_keeps_it_lit_and_shows_the_partner(page):
    page.set_viewport_size({"width": 1300, "height": 260})
    line(page, "left", "s = np.mean(y)").click()
    kept = lit(page, "right")
    assert kept
    line(page, "left", "y = x").hover()
    assert lit(page, "right") == kept
    partner = page.locator("#right tr.kept").first
    box, pane = partner.bounding_box(), page.locator("#panel-program").bounding_box()
    assert pane["y"] <= box["y"] <= pane["y"] + pane["height"]
    page.keyboard.press("Escape")
    page.locator("h1").hover()
    assert lit(page, "right") == []


def test_keys_alone_do(page):
    line(page, "left", "y = act(").click()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    assert any("if kind" in text for text in lit(page, "left"))
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    focused = page.evaluate("document.activeElement.innerText")
    assert "np.tanh(w * y)" in focused or "# y = act" in focused
    page.keyboard.press("ArrowLeft")
    assert "y = act(" in page.evaluate("document.activeElement.innerText")
    page.keyboard.press("Enter")
    assert page.locator("#left tr.kept").count() == 1
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"


def test_search_finds_on_both_sides(page):
    page.locator("#search").fill("TANH")
    assert page.locator("#left tr.hit").count() == 1
    assert page.locator("#right tr.hit:visible").count() >= 1
    n = page.locator("tr.hit:visible").count()
    assert page.locator("#found").inner_text() == f"{n} lines"
    page.keyboard.press("Enter")
    assert page.locator("#found").inner_text() == f"1 of {n}"
    page.keyboard.press("Shift+Enter")
    assert page.locator("#found").inner_text() == f"{n} of {n}"
    page.locator("#search").fill("no such thing")
    assert page.locator("#found").inner_text() == "nothing"
    page.keyboard.press("Escape")
    assert page.locator("tr.hit").count() == 0


def test_tabs_and_passes(page):
    page.locator("#tab-ir").click()
    assert page.locator("#panel-ir").is_visible()
    assert not page.locator("#panel-program").is_visible()
    first = page.locator("#ir").inner_text()
    assert "tanh(" in first
    line(page, "left", "s = np.mean(y)").click()
    assert any("truediv" in text or "mul" in text for text in lit(page, "right"))
    page.keyboard.press("[")
    assert page.locator("#ir").inner_text() != first
    assert page.locator("#ir tr.new").count() > 0
    assert lit(page, "right")
    page.keyboard.press("]")
    assert page.locator("#ir").inner_text() == first
    page.locator("#step").select_option("0")
    assert page.locator("#ir").inner_text().startswith("1\tdef loss(")
    page.keyboard.press("Escape")
    n = page.locator('[role="tab"]').count()
    page.locator("h1").click()
    page.keyboard.press(str(n))
    assert page.locator("#panel-report").is_visible()
    assert "Which program runs" in page.locator("#panel-report").inner_text()
    page.locator("#tab-report").press("ArrowRight")
    assert page.locator("#panel-program").is_visible()


def test_what_the_source_says_is_not_run(page):
    assert page.evaluate("document.evil") is None
    assert "document.evil" in page.locator("#left").inner_text()
    page.locator("#tab-ir").click()
    page.locator("#step").select_option("0")
    line(page, "left", "def loss").click()
    assert page.evaluate("document.evil") is None


@pytest.mark.parametrize("width", [1300, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_readable(page, width, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    line(page, "left", "y = act(").click()
    # Nothing is cut off but what scrolls in its pane, and both sides have room.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    for side in ("left", "right"):
        box = page.locator(f"#{side}").bounding_box()
        assert box["height"] > 150
        assert box["width"] > width / 2 - 5
    for kind in ("body", ".seen", ".c", ".no", "tr.kept .seen", ".facts"):
        assert contrast(page, kind) >= 4.5, kind


def contrast(page, selector):
    """The contrast of text with what is behind it, as WCAG 2.1 defines it."""
    colors = page.evaluate(
        """(selector) => {
            const all = [...document.querySelectorAll(selector)];
            const found = all.find((e) => e.offsetParent || e === document.body);
            let behind = found;
            const color = () => getComputedStyle(behind).backgroundColor;
            while (color() === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
            return [getComputedStyle(found).color, color()];
        }""",
        selector,
    )
    lights = sorted(luminance(color) for color in colors)
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def luminance(color):
    parts = [int(part) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))
