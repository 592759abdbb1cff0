"""The page in a real browser: drawn, usable, and asking for nothing."""

import csv
from base64 import b64encode

import pytest

from rarelabels.measures import describe

CHARTS = (
    "scores", "ranks", "time", "gains-minority-samples", "gains-local-imbalance",
    "frequency", "per-sample", "together", "scumble", "map",
)  # fmt: skip
SIZES = {"phone": (360, 740), "tablet": (768, 1024), "desktop": (1280, 900)}


@pytest.mark.parametrize("chart", CHARTS)
def test_every_chart_is_drawn(open_page, chart):
    page = open_page()
    # Some are folded.
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    drawn = page.locator(f"#{chart}")
    box = drawn.bounding_box()
    assert box["width"] > 300
    assert box["height"] > 60
    marks = page.evaluate(
        """id => [...document.querySelectorAll(`#${id} :is(circle, rect, use, line, path)`)]
            .filter(mark => mark.getBoundingClientRect().width
                + mark.getBoundingClientRect().height > 1).length""",
        chart,
    )
    assert marks > 5
    assert _n_colours(page, drawn) > 5, "the chart is blank"


def _n_colours(page, drawn):
    """Count the colours of a chart's picture, drawn anew where pixels can be read."""
    data = "data:image/png;base64," + b64encode(drawn.screenshot()).decode()
    blank = page.context.new_page()
    try:
        return blank.evaluate(
            """async data => {
                const image = new Image();
                image.src = data;
                await image.decode();
                const canvas = document.createElement("canvas");
                [canvas.width, canvas.height] = [image.width, image.height];
                const context = canvas.getContext("2d");
                context.drawImage(image, 0, 0);
                const pixels = new Uint32Array(
                    context.getImageData(0, 0, image.width, image.height).data.buffer);
                return new Set(pixels).size;
            }""",
            data,
        )
    finally:
        blank.close()


def test_next_to_an_answer_the_data_are_folded(open_page):
    page = open_page()
    tiles = page.locator("#glance .measures > div")
    assert [tiles.nth(j).is_visible() for j in range(tiles.count())] == 4 * [True] + 8 * [False]
    for place in ("labelsets", "co-occurrence", "samples-map"):
        folded = page.locator(f"#{place} > details.whole")
        assert folded.get_attribute("open") is None
        page.click(f"nav a[href='#{place}']")
        assert folded.get_attribute("open") is not None
    # Other parts stay as they are.
    page.click("nav a[href='#methods']")
    assert page.locator("#methods details[open]").count() == 0


@pytest.mark.parametrize("width", [380, 1280])
def test_no_table_is_wider_than_its_place(open_page, width):
    page = open_page(width=width)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    cut = page.evaluate(
        """[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth
            > one.clientWidth + 1).map(one => one.querySelector('table').id)"""
    )
    assert cut == []


def test_hostile_names_are_shown_and_do_nothing(open_page):
    page = open_page()
    assert page.title().startswith("made & <b>")
    names = page.locator("#label-table tbody th").all_inner_texts()
    assert "<script>alert(1)</script>" in names
    assert page.locator("img").count() == 0


def test_the_table_sorts_by_every_column(open_page):
    page = open_page()

    def column(number):
        return page.locator(f"#label-table tbody tr > :nth-child({number})").all_inner_texts()

    def numbers(number):
        return [float(text.replace(",", "")) for text in column(number)]

    assert numbers(2) == sorted(numbers(2)), "the rarest labels come first"
    page.locator("#label-table [data-key=count]").click()
    assert numbers(2) == sorted(numbers(2), reverse=True)
    page.locator("#label-table [data-key=local_imbalance]").click()
    assert numbers(3) == sorted(numbers(3))
    head = page.locator("#label-table th", has_text="Local")
    assert head.get_attribute("aria-sort") == "ascending"
    page.locator("#label-table [data-key=label]").press("Enter")
    plain = [name for name in column(1) if name.startswith("label ")]
    assert plain == sorted(plain)


def test_the_search_leaves_what_matches(open_page):
    page = open_page()
    page.locator("#search").fill("LABEL 3")
    assert page.locator("#label-table tbody tr:visible").count() == 1
    assert page.locator("#found").inner_text() == "1 of 8"
    page.locator("#search").fill("")
    assert page.locator("#label-table tbody tr:visible").count() == 8


def test_choosing_a_label_colours_the_map(open_page):
    page = open_page()
    page.click("nav a[href='#samples-map']")

    def colours():
        return page.evaluate(
            "[...document.querySelectorAll('#samples use')].map(u => u.className.baseVal)"
        )

    before = sorted(colours())
    options = page.locator("#choose-label option").all()
    values = [option.get_attribute("value") for option in options]
    chosen = page.locator("#choose-label").input_value()
    other = next(value for value in values if value != chosen)
    page.select_option("#choose-label", other)
    assert sorted(colours()) != before
    assert page.locator(f"tr.chosen[data-label='{other}']").count() == 1
    assert "rarer class" in page.locator("#map-words").inner_text()


@pytest.mark.parametrize(
    ("sampler", "words", "mark"),
    [("mlsol", "adds 120 samples", "added"), ("mlul", "removes 40 samples", "removed"),
     ("mlros", "repeats", "repeated")],
)  # fmt: skip
def test_choosing_a_sampler_shows_what_it_did(open_page, sampler, words, mark):
    page = open_page()
    page.click("nav a[href='#samples-map']")
    assert page.locator(".overlay:visible").count() == 0
    page.select_option("#choose-sampler", sampler)
    assert page.locator(".overlay:visible").count() == 1
    assert words in page.locator("#map-words").inner_text()
    assert page.locator(f".overlay:visible use.{mark}").first.bounding_box()["width"] > 2


def test_a_point_tells_its_name_and_chooses_its_label(open_page):
    page = open_page()
    point = page.locator("#frequency circle").nth(2)
    point.hover(force=True)
    assert page.locator("#tip").inner_text() == point.get_attribute("data-tip")
    point.click(force=True)
    assert page.locator("#choose-label").input_value() == point.get_attribute("data-label")


def test_the_keyboard_is_enough(open_page):
    page = open_page()
    page.locator("#frequency").focus()
    page.keyboard.press("ArrowRight")
    first = page.locator("#tip").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator("#tip").inner_text() != first
    label = page.locator("#frequency .here").get_attribute("data-label")
    page.keyboard.press("Enter")
    assert page.locator("#choose-label").input_value() == label
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()
    for target in ("#search", "#choose-label", "#choose-sampler", "#choose-method", ".scroll"):
        page.locator(target).first.focus()
        assert page.evaluate("document.activeElement !== document.body")


def test_choosing_a_method_shows_its_gains(open_page):
    page = open_page()
    assert page.locator(".gains:visible").count() == 2
    first = page.locator("#gains-table tbody").inner_text()
    page.select_option("#choose-method", "MLUL")
    shown = page.locator(".gains:visible")
    assert {one.get_attribute("data-method") for one in shown.all()} == {"MLUL"}
    assert page.locator("#gains-table tbody").inner_text() != first
    assert page.locator("#gains-table tbody tr:visible").count() == 8


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_size_scrolls_sideways(open_page, size, scheme):
    page = open_page(*SIZES[size], color_scheme=scheme)
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= SIZES[size][0]
    outside = page.evaluate(
        """width => [...document.querySelectorAll("body *")].filter(one => {
            if (one.closest(".scroll")) return false;
            const box = one.getBoundingClientRect();
            return box.width > 0 && (box.right > width + 1 || box.left < -1);
        }).map(one => one.outerHTML.slice(0, 120))""",
        SIZES[size][0],
    )
    assert outside == []


def test_letters_are_large_enough_on_a_phone(open_page):
    page = open_page(360, 740)
    smallest = page.evaluate(
        """Math.min(...[...document.querySelectorAll(".chart text")].map(text =>
            parseFloat(getComputedStyle(text).fontSize)
            * text.ownerSVGElement.getBoundingClientRect().width / 640))"""
    )
    assert smallest >= 10


def test_dark_is_dark_and_light_is_light(open_page):
    def brightness(scheme):
        page = open_page(color_scheme=scheme)
        colours = page.evaluate(
            """["backgroundColor", "color"].map(name =>
                getComputedStyle(document.body)[name].match(/\\d+/g).slice(0, 3).map(Number))"""
        )
        return [sum(colour) / 3 for colour in colours]

    paper, ink = brightness("light")
    assert paper > 230
    assert ink < 60
    paper, ink = brightness("dark")
    assert paper < 40
    assert ink > 200


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(open_page, scheme):
    """Contrast of at least 4.5, what the accessibility guidelines ask of small text."""
    page = open_page(color_scheme=scheme)
    contrasts = page.evaluate(
        """() => {
            const light = (text) => {
                const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
                    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const ground = (one) => {
                for (; one; one = one.parentElement) {
                    const colour = getComputedStyle(one).backgroundColor;
                    if (!colour.startsWith("rgba(0, 0, 0, 0")) return colour;
                }
            };
            const of = (one, name) => {
                const [a, b] = [light(getComputedStyle(one)[name]), light(ground(one))];
                return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            };
            return [
                ...[...document.querySelectorAll("p, dd, dt, td, th, a, figcaption, .quiet")]
                    .map(one => of(one, "color")),
                ...[...document.querySelectorAll(".chart text")].map(one => of(one, "fill")),
            ];
        }"""
    )
    assert min(contrasts) >= 4.5


def test_print_shows_the_whole_table_and_no_controls(open_page):
    page = open_page()
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("nav").is_hidden()
    assert page.locator("#search").is_hidden()
    for table in page.locator(".tall").all():
        assert table.evaluate("one => one.scrollHeight <= one.clientHeight + 1")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == "rgb(255, 255, 255)"


def test_without_javascript_there_is_still_a_page(open_page):
    page = open_page(java_script_enabled=False)
    assert page.locator("#label-table tbody tr").count() == 8
    assert page.locator("#map use").count() > 400
    assert page.get_by_text("Use EMLSOL: macro-F1 rises").is_visible()


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_chart_tells_its_first_mark_and_keeps_telling_it_while_the_page_scrolls(
    open_page, motion
):
    page = open_page(reduced_motion=motion, height=400)
    page.locator("#choose-method").focus()
    page.keyboard.press("Tab")
    mark = page.locator("#gains-minority-samples .here")
    assert mark.count() == 1
    page.evaluate("scrollBy(0, 40)")
    page.wait_for_timeout(600)  # as long as a smooth scroll takes
    tip = page.locator("#tip")
    assert tip.is_visible()
    assert abs(tip.bounding_box()["y"] - mark.bounding_box()["y"]) < 120
    page.keyboard.press("Escape")
    assert tip.is_hidden()


def test_a_label_shows_whom_it_comes_with_and_examples(open_page):
    page = open_page()
    page.click("nav a[href='#samples-map']")
    page.click("nav a[href='#co-occurrence']")
    page.locator("#find-label").fill("label 3")
    assert page.locator("#choose-label option:checked").inner_text().startswith("label 3 (")
    assert page.locator("#choose-partner option:checked").inner_text().startswith("label 3 (")
    counts = page.locator("#partner-table tbody td:nth-child(2)").all_inner_texts()
    assert [int(count) for count in counts] == sorted(map(int, counts), reverse=True)
    assert page.locator("#examples dt").all_inner_texts() == [
        "safe", "borderline", "rare", "outlier",
    ]  # fmt: skip
    page.locator("#find-partner").fill("label 1")
    assert page.locator("#choose-partner option:checked").inner_text().startswith("label 1 (")


def test_tables_are_copied_and_downloaded(open_page, tmp_path):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.locator("[data-copy=method-table]").click()
    page.wait_for_function(
        "document.querySelector('[data-copy=method-table]').parentElement.innerText.includes('copied')"
    )
    with page.expect_download() as waited:
        page.locator("[data-save=label-table]").click()
    waited.value.save_as(tmp_path / "labels.csv")
    lines = list(csv.reader((tmp_path / "labels.csv").read_text(encoding="utf-8").splitlines()))
    assert lines[0][:2] == ["label", "samples"]
    assert len(lines) == 9
    assert '"><img src=x onerror=alert(1)>' in [line[0] for line in lines]


def test_the_legend_of_the_map_explains_every_mark(open_page):
    page = open_page()
    page.click("nav a[href='#samples-map']")
    words = page.locator("#samples-map .legend").inner_text()
    kinds = ("safe", "borderline", "rare", "outlier", "other", "added", "repeated", "removed")
    assert all(word in words for word in kinds)


@pytest.fixture
def thousand(open_page, thousand_file):
    return lambda **settings: open_page(file=thousand_file, **settings)


def test_a_thousand_labels_are_there_and_few_are_drawn(thousand, thousand_file):
    assert thousand_file.stat().st_size < 5_000_000
    page = thousand()
    for table in ("label-table", "gains-table"):
        assert page.locator(f"#{table} tbody tr:not(.space)").count() < 120
    assert page.locator("#frequency circle").count() < 500
    assert page.locator("#frequency circle.many").count() > 5
    page.locator("#search").fill("topic 0999")
    assert page.locator("#found").inner_text() == "1 of 1000"
    assert page.locator("#label-table tbody tr:not(.space)").count() == 1


def test_a_long_table_is_one_stop_and_its_rows_are_walked(thousand):
    page = thousand()
    frame = page.locator("[data-rows=label-table]")
    frame.focus()
    for key in ("ArrowDown", "ArrowDown", "PageDown", "End"):
        page.keyboard.press(key)
    page.wait_for_function(
        """() => {
            const frame = document.querySelector("[data-rows=label-table]").getBoundingClientRect();
            const here = [...document.querySelectorAll("#label-table tr.here")];
            const box = here[0].getBoundingClientRect();
            return here.length === 1 && frame.top <= box.top && box.bottom <= frame.bottom;
        }"""
    )
    label = page.locator("#label-table tr.here").get_attribute("data-label")
    assert label == page.evaluate(
        "[...document.querySelectorAll('#label-table tr[data-label]')].at(-1).dataset.label"
    )
    page.keyboard.press("Enter")
    assert page.locator("#choose-label").input_value() == label
    stops = page.evaluate(
        """[...document.querySelectorAll("a, button, input, select, [tabindex]")]
            .filter(one => one.tabIndex >= 0 && one.getClientRects().length).length"""
    )
    assert stops < 60


def test_scrolling_a_long_table_draws_what_comes_into_sight(thousand):
    page = thousand()
    frame = page.locator("[data-rows=label-table]")
    frame.evaluate("one => { one.scrollTop = one.scrollHeight / 2; }")
    page.wait_for_timeout(100)
    seen = frame.evaluate(
        """one => { const box = one.getBoundingClientRect();
            return [...one.querySelectorAll("tbody tr:not(.space)")].filter(row => {
                const own = row.getBoundingClientRect();
                return own.bottom > box.top && own.top < box.bottom; }).length; }"""
    )
    assert seen >= 8


def test_a_notebook_shows_the_chart_of_a_description(open_page, dataset, tmp_path):
    place = tmp_path / "notebook.html"
    shown = describe(*dataset).with_names(dataset.label_names)._repr_html_()
    place.write_text(f'<!DOCTYPE html><html lang="en"><body>{shown}</body></html>', "utf-8")
    page = open_page(file=place)
    inside = page.frame_locator("iframe")
    assert inside.locator("#frequency circle").count() == 8
    assert inside.locator("#frequency").bounding_box()["height"] > 200
    assert "<script>alert(1)</script>" in inside.locator("tbody th").all_inner_texts()
    assert inside.locator(".legend use").first.bounding_box()["width"] > 5
