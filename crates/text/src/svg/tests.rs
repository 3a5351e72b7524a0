//! Cases and properties of checked drawings.

use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use proptest::prelude::*;
use roxmltree::ParsingOptions;

use super::lists::{ATTRIBUTES, ELEMENTS, PROGRAMS, PROPERTIES};
use super::{Drawing, read};

const START: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">"#;

fn inner(content: &str) -> Result<Drawing, String> {
    read(&format!("{START}{content}</svg>")).map_err(|error| error.to_string())
}

/// Why a drawing is refused.
fn refused(content: &str) -> String {
    inner(content).expect_err(content)
}

#[test]
fn a_plain_drawing_is_written_as_it_is() {
    let plain = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 8 4\">\n  <path class=\"a\" d=\"M0 0h8\"/>\n  <text x=\"1\">a &amp; b</text>\n</svg>";
    let drawing = read(plain).expect("a drawing");
    assert_eq!(drawing.text, plain);
    assert_eq!(drawing.size, Some((8, 4)));
    assert_eq!((drawing.apart, drawing.costly), (None, None));
}

#[test]
fn scripts_are_refused_however_they_are_written() {
    let cases = [
        ("<script>alert(1)</script>", "a `<script>`"),
        ("<SCRIPT>alert(1)</SCRIPT>", "a `<SCRIPT>`"),
        ("<p><![CDATA[><script>alert(1)</script>]]></p>", "a `<p>`"),
        ("<g ONLOAD='alert(1)'/>", "the event handler `ONLOAD`"),
        ("<g onload='alert(1)'/>", "the event handler `onload`"),
        ("<g oNbegin='alert(1)'/>", "the event handler `oNbegin`"),
        ("<foreignObject/>", "a `<foreignObject>`"),
        ("<foreignobject/>", "a `<foreignobject>`"),
        ("<a href='javascript:alert(1)'/>", "a `<a>`"),
        (
            "<use href='javascript:alert(1)'/>",
            "the reference `javascript:alert(1)`",
        ),
        (
            "<use xlink:href='data:image/svg+xml,x'/>",
            "the reference `data:image/svg+xml,x`",
        ),
        (
            "<image href='https://example.com/a.png'/>",
            "the reference `https://example.com/a.png`",
        ),
        (
            "<image href='data:image/svg+xml;base64,x'/>",
            "the reference `data:image/svg+xml;base64,x`",
        ),
        (
            "<path fill='url(https://example.com/#a)'/>",
            "the URL `https://example.com/#a` in `fill`",
        ),
        (
            "<path fill='URL( \"//example.com\" )'/>",
            "the URL `//example.com` in `fill`",
        ),
        (
            "<path fill='\\75 rl(//example.com)'/>",
            "a backslash in `fill`",
        ),
        (
            "<path fill='image-set(\"a\" 1x)'/>",
            "the function `image-set` in `fill`",
        ),
        (
            "<path style='fill:red;fill:src(\"//example.com\")'/>",
            "the function `src` in `style`",
        ),
        (
            "<style>@import '//example.com';</style>",
            "a `<style>` with `@import`",
        ),
        (
            "<style>a{fill:url(//example.com)}</style>",
            "a `<style>` with the URL `//example.com`",
        ),
        ("<style><![CDATA[a{}</style><script>]]></style>", ""),
        (
            "<set attributeName='href' to='javascript:alert(1)'/>",
            "an animation of `href`",
        ),
        (
            "<animate attributeName='xlink:href' values='javascript:alert(1)'/>",
            "an animation of `xlink:href`",
        ),
        (
            "<set attributeName='onload' to='alert(1)'/>",
            "an animation of `onload`",
        ),
        (
            "<set attributeName='fill' to='url(//example.com)'/>",
            "the URL `//example.com` in `to`",
        ),
        (
            "<?xml-stylesheet href='//example.com'?>",
            "the processing instruction `xml-stylesheet`",
        ),
        (
            "<h:script xmlns:h='http://www.w3.org/1999/xhtml'/>",
            "a `<script>` from another namespace",
        ),
        (
            "<m:math xmlns:m='http://www.w3.org/1998/Math/MathML'/>",
            "a `<math>` from another namespace",
        ),
        (
            "<metadata><script>alert(1)</script></metadata>",
            "a `<script>`",
        ),
        (
            "<i:x xmlns:i='http://www.inkscape.org/namespaces/inkscape'><g onload='x'/></i:x>",
            "the event handler `onload`",
        ),
        ("<handler>x</handler>", "a `<handler>`"),
        ("<path formaction='x'/>", "the attribute `formaction`"),
    ];
    for (content, part) in cases {
        if part.is_empty() {
            let text = inner(content).expect("text of a style sheet").text;
            assert!(!text.contains("<script"), "{text}");
        } else {
            assert_eq!(
                refused(content),
                format!("the SVG contains {part}, which is not allowed"),
                "{content}"
            );
        }
    }
}

#[test]
fn files_of_drawing_programs_are_read() {
    let inkscape = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<!-- Created with Inkscape -->\n<svg xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\" xmlns=\"http://www.w3.org/2000/svg\" width=\"210mm\" height=\"297mm\" viewBox=\"0 0 210 297\" id=\"svg5\"><inkscape:grid id=\"g\"/><defs id=\"defs2\"/><g inkscape:label=\"Layer 1\" id=\"layer1\"><rect style=\"fill:#f00;-inkscape-x:1\" id=\"r1\" width=\"10\" height=\"10\"/></g></svg>";
    let drawing = read(inkscape).expect("a drawing");
    assert_eq!(
        drawing.text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"210mm\" height=\"297mm\" viewBox=\"0 0 210 297\"><defs/><g><rect style=\"fill:#f00\" width=\"10\" height=\"10\"/></g></svg>"
    );
    assert_eq!(drawing.size, Some((210, 297)));
    assert_eq!(drawing.apart.expect("a style").part, "a `style` attribute");

    let illustrator = "<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n<svg version=\"1.1\" id=\"Layer_1\" xmlns=\"http://www.w3.org/2000/svg\" x=\"0px\" viewBox=\"0 0 9 9\" style=\"enable-background:new 0 0 9 9;\" xml:space=\"preserve\"><style>.st0{fill:url(#SVGID_1_);}</style><linearGradient id=\"SVGID_1_\"><stop offset=\"0\" stop-color=\"rgb(0 0 0 / 50%)\"/></linearGradient><path class=\"st0\" d=\"M0 0\"/></svg>";
    let drawing = read(illustrator).expect("a drawing");
    assert!(
        drawing.text.contains("<linearGradient id=\"SVGID_1_\">"),
        "{}",
        drawing.text
    );
    assert!(!drawing.text.contains("Layer_1"), "{}", drawing.text);
    assert_eq!(drawing.apart.expect("a style sheet").part, "a `<style>`");
    assert_eq!(drawing.costly, None);
}

#[test]
fn entities_and_files_that_are_no_drawing_are_refused() {
    let message = |text: &str| read(text).expect_err(text).to_string();
    let entities = "<!DOCTYPE svg [<!ENTITY a \"<script>x</script>\">]><svg xmlns=\"http://www.w3.org/2000/svg\">&a;</svg>";
    assert_eq!(
        message(entities),
        "the SVG contains a document type with entities, which is not allowed"
    );
    assert_eq!(message("<html/>"), "the file is not an SVG");
    assert_eq!(
        message("<svg xmlns='http://www.w3.org/1999/xhtml'/>"),
        "the file is not an SVG"
    );
    assert!(message("<svg").starts_with("the SVG is not valid XML"));
    let attributes = (0..150_000)
        .map(|number| format!(" a{number}='1'"))
        .collect::<Vec<_>>()
        .concat();
    assert_eq!(
        message(&format!("<svg><g{attributes}/></svg>")),
        "in the SVG, an element has more than 500 attributes"
    );
    assert!(
        refused(&format!(
            "{}{}",
            "<g>".repeat(50_000),
            "</g>".repeat(50_000)
        ))
        .contains("elements nested more than 100 levels deep")
    );
}

#[test]
fn names_in_any_script_are_refused_at_their_place() {
    for (content, part) in [
        ("<g 日x='1'/>", "the attribute `日x`"),
        ("<g é='1'/>", "the attribute `é`"),
        ("<日本/>", "a `<日本>`"),
        (
            "<日本:a xmlns:日本='urn:x'/>",
            "a `<a>` from another namespace",
        ),
    ] {
        assert_eq!(
            refused(content),
            format!("the SVG contains {part}, which is not allowed"),
            "{content}"
        );
        let text = format!("{START}{content}</svg>");
        let span = read(&text).expect_err(content).span();
        assert!(
            text.get(span.clone()).is_some() && span.start >= START.len(),
            "{content}"
        );
    }
    let attributes = (0..150_000)
        .map(|number| format!(" a{number}='1'"))
        .collect::<Vec<_>>()
        .concat();
    assert!(refused(&format!("<style{attributes}/>")).contains("more than 500 attributes"));
}

#[test]
fn what_takes_long_to_draw_is_refused() {
    let bomb = (1..20)
        .map(|n| {
            format!(
                "<g id='a{n}'><use href='#a{0}'/><use href='#a{0}'/></g>",
                n - 1
            )
        })
        .collect::<Vec<_>>()
        .concat();
    assert!(
        refused(&format!(
            "<defs><g id='a0'><path/></g>{bomb}</defs><use href='#a19'/>"
        ))
        .contains("more than 100000 shapes")
    );
    assert!(refused("<g id='a'><use href='#a'/></g>").contains("an element that refers to itself"));
    let chain = (1..900)
        .map(|n| format!("<g id='a{n}'><use href='#a{}'/></g>", n - 1))
        .collect::<Vec<_>>()
        .concat();
    assert!(
        refused(&format!("<g id='a0'/>{chain}<use href='#a899'/>")).contains("nested too deeply")
    );
    assert!(
        refused("<filter id='f'><feTurbulence numOctaves='100000'/></filter>")
            .contains("`numOctaves` above 10")
    );
    assert!(
        refused("<filter id='f'><feMorphology radius='1 1e9'/></filter>")
            .contains("`radius` above 100")
    );
    assert!(
        refused("<filter id='f'><feTurbulence numOctaves='NaN'/></filter>")
            .contains("`numOctaves`")
    );
    let costly = |content: &str| {
        inner(content)
            .expect("a drawing")
            .costly
            .map(|refusal| refusal.part)
    };
    assert_eq!(
        costly("<filter id='f'><feTurbulence/></filter><g filter='url(#f)'/>").as_deref(),
        Some("a `<filter>`")
    );
    assert_eq!(
        costly("<linearGradient id='f'/><path fill='url(#f)' opacity='.5'/>"),
        None
    );
    assert_eq!(
        costly(&"<g opacity='.5'/>".repeat(300)).as_deref(),
        Some("too many shapes or transparent groups")
    );
}

#[test]
fn a_refused_part_is_found_at_its_place() {
    let text = "<!DOCTYPE svg>\n<svg xmlns=\"http://www.w3.org/2000/svg\">\n  <script/></svg>";
    assert_eq!(&text[read(text).expect_err("a script").span()], "<script");
    let text = "<svg xmlns=\"http://www.w3.org/2000/svg\">\n  <g onload=\"x\"/></svg>";
    assert_eq!(
        &text[read(text).expect_err("a handler").span()],
        "onload=\"x\""
    );
}

const PIECES: &[&str] = &[
    "<g>",
    "</g>",
    "<g/>",
    "<path d=\"M0 0\"/>",
    "<text>",
    "</text>",
    "<title>",
    "</title>",
    "<desc>",
    "</desc>",
    "<style>",
    "</style>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "&lt;",
    "&amp;",
    "&#60;",
    "<script>",
    "</script>",
    "<SCRIPT>",
    "<foreignObject>",
    "</foreignObject>",
    "<p>",
    "</p>",
    "<svg>",
    "</svg>",
    " onload='x'",
    "<g onload='x'/>",
    "<g ONCLICK=\"x\">",
    "<a href='javascript:x'>",
    "</a>",
    "<use href='#a'/>",
    "<use xlink:href='//x'/>",
    "<g id='a'>",
    "<g id='&quot;&gt;&lt;script&gt;'/>",
    "<path fill='url(#a)'/>",
    "<path fill=\"url(//x)\"/>",
    "<path class='&lt;/svg&gt;'/>",
    "x",
    " ",
    "\n",
    ">",
    "'",
    "\"",
    "=",
    "<?pi x?>",
    "<x:y xmlns:x='http://www.inkscape.org/'>",
    "</x:y>",
    "<h:b xmlns:h='http://www.w3.org/1999/xhtml'/>",
    "<set attributeName='href' to='x'/>",
    "<metadata>",
    "</metadata>",
    "<image href='data:image/png;base64,x'/>",
    "<style>a{}</style>",
    "<title>&lt;/title&gt;&lt;script&gt;</title>",
    "<text>&lt;img src=x onerror=x&gt;</text>",
];

/// Beginnings of files, with which a part of the text could be taken for what it is not.
const STARTS: &[&str] = &[
    "<?xml version='1.0'?>",
    "<?xml version='1.0' encoding='UTF-7'?>",
    "<?xml version='1.0' encoding='utf-8'?>",
    "<?xml-stylesheet type='text/xsl' href='/t.xml'?>",
    "<!-- a -->",
    "<!-- <!DOCTYPE svg> -->",
    "<!DOCTYPE svg>",
    "<!DOCTYPE svg [<!ENTITY a 'b'>]>",
    "<!DOCTYPE svg PUBLIC 'a' 'b'>",
    "<x:svg xmlns:x='http://www.w3.org/2000/svg'>",
    "<x:script>alert(1)</x:script>",
    "<x:script xmlns:x='http://www.w3.org/2000/svg'>alert(1)</x:script>",
    "<x:g onload='alert(1)'/>",
    "<![CDATA[",
    "<![CDATA[<!DOCTYPE >",
    "]]>",
    "</x:svg>",
    "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "<svg xmlns='http://www.w3.org/2000/svg'>",
    "</svg>",
    "<g style='background:url(https://evil.example/x.png)'/>",
    "<g id='a'/>",
    "<!--",
    "-->",
    "\u{feff}",
    "\n",
];

/// The first part of a published file that a browser would run or load, as a parser of XML with document types reads it.
fn active(file: &str) -> Option<String> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let Ok(document) = roxmltree::Document::parse_with_options(file, options) else {
        return None;
    };
    document.descendants().find_map(|node| {
        if let Some(pi) = node.pi() {
            return Some(pi.target.to_owned());
        }
        let name = node.tag_name().name();
        let attribute = node.attributes().find(|attribute| {
            let is_inside =
                ["#", "data:image/png"].map(|start| attribute.value().starts_with(start));
            let is_outside = attribute.name() == "href" && is_inside == [false; 2];
            attribute.name().to_lowercase().starts_with("on")
                || is_outside
                || attribute.value().contains("evil.example")
        });
        let namespace = node.tag_name().namespace().unwrap_or_default();
        let is_of_program = PROGRAMS.iter().any(|own| namespace.contains(own));
        let is_known = !node.is_element() || is_of_program || ELEMENTS.contains(&name);
        attribute
            .map(|attribute| attribute.name().to_owned())
            .or_else(|| (!is_known).then(|| name.to_owned()))
    })
}

#[test]
fn a_file_is_read_whole_whatever_it_begins_with() {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
    for (file, part) in [
        (
            "<x:svg xmlns:x='http://www.w3.org/2000/svg'><x:script>alert(1)</x:script><![CDATA[<!DOCTYPE ><svg \
             xmlns='http://www.w3.org/2000/svg'/><!--]]></x:svg>-->",
            "",
        ),
        (
            "<x:svg xmlns:x='http://www.w3.org/2000/svg'><x:script>alert(1)</x:script><![CDATA[<!DOCTYPE >]]></x:svg>",
            "a `<script>`",
        ),
        (
            &format!("<?xml-stylesheet type='text/xsl' href='/t.xml'?><!DOCTYPE svg>{svg}"),
            "",
        ),
        (
            &format!("<?xml-stylesheet href='/t.xml'?>{svg}"),
            "the processing instruction `xml-stylesheet`",
        ),
        (
            &format!("<!-- a --><?xml-stylesheet href='/t.xml'?>{svg}"),
            "the processing instruction `xml-stylesheet`",
        ),
        (
            &format!("<!DOCTYPE svg><?xml-stylesheet href='/t.xml'?>{svg}"),
            "the processing instruction `xml-stylesheet`",
        ),
        (
            &format!("<!DOCTYPE svg SYSTEM '<'>{svg}"),
            "a document type with entities",
        ),
    ] {
        let why = read(file).expect_err(file).to_string();
        let is_named = why == format!("the SVG contains {part}, which is not allowed");
        assert!(
            is_named || part.is_empty() && why.starts_with("the SVG is not valid XML"),
            "{file}: {why}"
        );
    }
    let style = |style: &str| refused(&format!("<path style='{style}'/>"));
    let outside =
        "the SVG contains the URL `https://evil.example/x.png` in `style`, which is not allowed";
    for property in ["background", "cursor", "-inkscape-font", "/*;*/fill", "--x"] {
        assert_eq!(
            style(&format!(
                "fill:red;{property}:url(https://evil.example/x.png)"
            )),
            outside,
            "{property}"
        );
    }
    assert!(
        style("background:image-set(\"//evil.example\" 1x)").contains("the function `image-set`")
    );
    assert!(style("background:\\75 rl(//evil.example)").contains("a backslash"));
    assert!(inner("<path style='shape-inside:url(#a);-inkscape-x:1;mso-x'/>").is_ok());
}

#[test]
fn a_file_whose_text_browsers_could_read_otherwise_is_written_again() {
    let body = "<svg xmlns=\"http://www.w3.org/2000/svg\"><g id=\"a\" data-x=\"1\"/></svg>";
    let written = "<svg xmlns=\"http://www.w3.org/2000/svg\"><g id=\"a\"/></svg>";
    for (start, file) in [
        ("", body.to_owned()),
        (
            "<!-- <!DOCTYPE svg> -->",
            format!("<!-- <!DOCTYPE svg> -->{body}"),
        ),
        (
            "<?xml version=\"1.0\" encoding = 'UTF-8'?>\n",
            format!("<?xml version=\"1.0\" encoding = 'UTF-8'?>\n{body}"),
        ),
        (
            "<?xml version=\"1.0\" encoding=\"UTF-7\"?>",
            written.to_owned(),
        ),
        (
            "<?xml version=\"1.0\"?><!DOCTYPE svg>\n",
            written.to_owned(),
        ),
    ] {
        assert_eq!(
            read(&format!("{start}{body}")).expect(start).file,
            file,
            "{start}"
        );
    }
}

/// Every element below a node, with its name and its attributes.
fn elements(node: &Handle, found: &mut Vec<(String, Vec<(String, String)>)>) {
    if let NodeData::Element { name, attrs, .. } = &node.data {
        let attrs = attrs.borrow();
        let attributes = attrs.iter().map(|attribute| {
            (
                attribute.name.local.to_string(),
                attribute.value.to_string(),
            )
        });
        found.push((name.local.to_string(), attributes.collect()));
    }
    node.children
        .borrow()
        .iter()
        .for_each(|child| elements(child, found));
}

proptest! {
    /// A page reads the drawing as HTML, and finds the elements and attributes of the lists only.
    #[test]
    fn a_drawing_is_harmless_in_a_page(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12)) {
        let Ok(drawing) = inner(&pieces.concat()) else { return Ok(()) };
        let page = format!("<!DOCTYPE html><main>{}</main><footer></footer>", drawing.text);
        let dom = parse_document(RcDom::default(), ParseOpts::default()).one(page);
        let mut found = Vec::new();
        elements(&dom.document, &mut found);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        prop_assert_eq!(&names[..4], ["html", "head", "body", "main"]);
        prop_assert_eq!(names.last(), Some(&"footer"));
        for (name, attributes) in &found[4..found.len() - 1] {
            prop_assert!(ELEMENTS.contains(&name.as_str()), "{}", name);
            for (attribute, value) in attributes {
                let is_known = ATTRIBUTES.contains(&attribute.as_str()) || PROPERTIES.contains(&attribute.as_str());
                prop_assert!(is_known || attribute == "xmlns", "{}", attribute);
                prop_assert!(attribute != "href" || value.starts_with('#') || value.starts_with("data:image/png"), "{}", value);
            }
        }
    }

    /// A browser reads the file itself as XML, from its first byte.
    #[test]
    fn a_drawing_is_harmless_alone(
        start in prop::collection::vec(prop::sample::select(STARTS), 0..6),
        pieces in prop::collection::vec(prop::sample::select([STARTS, PIECES].concat()), 0..6),
        is_closed in any::<bool>(),
    ) {
        let end = if is_closed { "</svg>" } else { "" };
        let text = format!("{}<svg xmlns='http://www.w3.org/2000/svg'>{}{end}", start.concat(), pieces.concat());
        for text in [text, [start.concat(), pieces.concat()].concat()] {
            let Ok(drawing) = read(&text) else { continue };
            prop_assert_eq!(active(&drawing.file), None, "{}", drawing.file);
            prop_assert!(roxmltree::Document::parse(&drawing.file).is_ok(), "a document type in {}", drawing.file);
        }
    }

    /// The output is allowed, and stays as it is when it is read again.
    #[test]
    fn a_written_drawing_stays_the_same(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..12)) {
        let Ok(drawing) = inner(&pieces.concat()) else { return Ok(()) };
        let again = read(&drawing.text).map_err(|error| TestCaseError::fail(format!("{error} in {}", drawing.text)))?;
        prop_assert_eq!(again.text, drawing.text);
    }
}

#[test]
fn a_prolog_of_any_length_is_read_once() {
    let drawing = |prolog: &str| crate::svg::is_drawing(format!("{prolog}<svg/>").as_bytes());
    assert!(drawing(
        "<?xml version=\"1.0\"?>\n<!-- a -->\n<!DOCTYPE svg>\n<?a b?>"
    ));
    assert!(drawing(&"<!DOCTYPE a>".repeat(100_000)));
    assert!(drawing(&"<?a b?>".repeat(100_000)));
}
