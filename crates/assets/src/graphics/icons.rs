//! Draws the icons of tabs and home screens: `templates/drawings/icon.svg` around the brand's mark, in the sizes that
//! browsers and phones require. A file of the same name in `static/` takes precedence.

use serde::Serialize;
use serde_json::json;

use crate::output::Output;
use config::Config;
use diagnostics::problem::{Code, Problem, Problems, did_you_mean};
use site::model::Site;
use text::svg;

use super::DrawContext;

const TEMPLATE: &str = "drawings/icon.svg";

/// The brand's mark, extracted from its SVG so that a drawing can color it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Mark {
    /// The `viewBox` of its SVG.
    pub view_box: String,
    /// Its elements, without style sheets.
    pub shapes: String,
}

/// The use of an icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Tabs of browsers without support for SVG.
    Tab,
    /// `apple-touch-icon`: home screens that round the corners themselves.
    Touch,
    /// The web manifest.
    App,
    /// The web manifest, with `purpose: maskable`.
    Maskable,
}

/// A drawn icon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Icon {
    /// Its use.
    pub role: Role,
    /// Its address.
    pub src: String,
    /// Width and height in pixels.
    pub size: u32,
}

const ICONS: &[(Role, u32, &str)] = &[
    (Role::Tab, 48, "favicon.png"),
    (Role::Touch, 180, "apple-touch-icon.png"),
    (Role::App, 192, "icon-192.png"),
    (Role::App, 512, "icon-512.png"),
    (Role::Maskable, 512, "icon-maskable-512.png"),
];

/// Reads the mark that `icon` of `site.yaml` names.
pub(super) fn mark(config: &Config, site: &Site) -> (Option<Mark>, Problems) {
    let Some(name) = &config.site.icon else {
        return (None, Problems::new());
    };
    let place = config.site.source.place(name.span);
    let Some(file) = site.static_files.iter().find(|file| file.is(&name.value)) else {
        let problem = Problem::error(
            Code::BadDrawing,
            format!("there is no file `static/{}`", name.value),
        );
        let near = did_you_mean(
            name,
            site.static_files.iter().map(|file| file.path.as_str()),
        );
        return (None, problem.maybe_hint(near).at(place).into());
    };
    let source = match config.paths.root.read_text(&file.file) {
        Ok(source) => source,
        Err(problem) => return (None, problem.into()),
    };
    match read(&source.text) {
        Ok(mark) => (Some(mark), Problems::new()),
        Err(why) => {
            let problem =
                Problem::error(Code::BadDrawing, format!("`static/{}` {why}", name.value));
            (
                None,
                problem
                    .hint("set `icon` to a simple SVG that has a `viewBox`")
                    .at(place)
                    .into(),
            )
        }
    }
}

fn read(text: &str) -> Result<Mark, String> {
    let drawing = svg::read(text).map_err(|error| format!("cannot be drawn: {error}"))?;
    if let Some(refusal) = drawing.costly {
        return Err(format!(
            "contains {}, which takes too long to draw as an icon",
            refusal.part
        ));
    }
    let text = drawing.text.as_str();
    let document =
        roxmltree::Document::parse(text).map_err(|error| format!("is not an SVG ({error})"))?;
    let root = document.root_element();
    let view_box = root
        .attribute("viewBox")
        .filter(|_| root.tag_name().name() == "svg");
    let view_box = view_box.ok_or("is not an SVG with a `viewBox`")?.to_owned();
    let shapes = root
        .children()
        .filter(|node| node.is_element() && node.tag_name().name() != "style")
        .map(|node| &text[node.range()]);
    Ok(Mark {
        view_box,
        shapes: shapes.collect(),
    })
}

pub(super) fn draw(context: &DrawContext, site: &Site) -> ((Vec<Icon>, Vec<Output>), Problems) {
    let (mut icons, mut files, mut problems) = (Vec::new(), Vec::new(), Problems::new());
    let drawing = match context.drawing(TEMPLATE).filter(|_| context.mark.is_some()) {
        None => return ((icons, files), problems),
        Some(Err(problem)) => return ((icons, files), problem.into()),
        Some(Ok(drawing)) => drawing,
    };
    for (role, size, path) in ICONS {
        let src = context.config.site.href(&format!("/{path}"));
        icons.push(Icon {
            role: *role,
            src,
            size: *size,
        });
        if site.static_files.iter().any(|file| file.path == *path) {
            continue;
        }
        match context.png(&drawing, &json!({ "role": role, "size": size })) {
            Ok((png, _)) => files.push(Output::bytes(*path, png)),
            Err(problem) => problems.push(problem),
        }
    }
    ((icons, files), problems)
}
