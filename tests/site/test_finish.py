"""A built page: headings with named links, tables that scroll, samples one below the other."""

from tools.site.finish import finished


def test_a_heading_has_a_link_with_its_words_beside_it() -> None:
    shown = finished('<h2 id="ask">Ask <code>"once"</code></h2>')
    assert '<h2 id="ask">Ask <code>"once"</code></h2><a href="#ask"' in shown
    assert 'aria-label="Link to: Ask &quot;once&quot;"' in shown


def test_a_table_scrolls_by_itself_and_has_no_empty_head() -> None:
    head = "<thead>\n<tr>\n<th></th>\n<th></th>\n</tr>\n</thead>"
    shown = finished(f"<table>\n{head}\n<tbody><tr><td>a</td></tr></tbody>\n</table>")
    assert shown.startswith('<div class="scroll"><table>')
    assert shown.endswith("</table></div>")
    assert "<th" not in shown
    assert finished("<tr><th></th><th>Meaning</th></tr>") == "<tr><td></td><th>Meaning</th></tr>"


def test_languages_stand_one_below_the_other_for_who_has_no_scripts() -> None:
    choice = (
        '<input checked="checked" id="__tabbed_1_1" name="__tabbed_1" type="radio" />'
        '<label for="__tabbed_1_1">curl</label><div class="tabbed-content">'
    )
    assert finished(choice) == '<p class="language">curl</p><div class="tabbed-content">'


def test_a_place_is_no_link() -> None:
    assert finished('<p><a id="a"></a></p>') == '<div class="place" id="a"></div>'
    assert finished('<p><a id="a"></a>Words</p>') == '<p><span id="a"></span>Words</p>'
    assert finished('<li>x <a id="a"></a></li>') == '<li>x <span id="a"></span></li>'


def test_a_long_path_may_break_and_a_sample_stays_as_it_is() -> None:
    path = "<code>/gateway/pay/v4/api/verify/</code>"
    shown = "<code>/<wbr>gateway/<wbr>pay/<wbr>v4/<wbr>api/<wbr>verify/<wbr></code>"
    sample = f"<pre><span></span>{path}</pre>"
    assert finished(f"<td>{path}</td>{sample}") == f"<td>{shown}</td>{sample}"
