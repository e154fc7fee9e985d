//! The page's files, and the page as a single file.

use serde_json::Value;

/// A file of the page.
pub struct File {
    /// Name in the page's folder.
    pub name: &'static str,
    /// Media type.
    pub kind: &'static str,
    /// Contents.
    pub text: &'static str,
}

macro_rules! files {
    ($html:literal, $css:literal, $($script:literal,)*) => {
        /// All files.
        pub const FILES: &[File] = &[
            File { name: $html, kind: "text/html; charset=utf-8", text: include_str!(concat!("../web/", $html)) },
            File { name: $css, kind: "text/css; charset=utf-8", text: include_str!(concat!("../web/", $css)) },
            $(File {
                name: $script,
                kind: "text/javascript; charset=utf-8",
                text: include_str!(concat!("../web/", $script)),
            },)*
        ];
    };
}

files! {
    "index.html",
    "style.css",
    "app.js",
    "advice.js",
    "ask.js",
    "board.js",
    "charts.js",
    "curves.js",
    "dom.js",
    "engine.js",
    "keep.js",
    "keys.js",
    "learn.js",
    "local.js",
    "locks.js",
    "motion.js",
    "overlay.js",
    "past.js",
    "picker.js",
    "picture.js",
    "play.js",
    "reports.js",
    "review.js",
    "run.js",
    "saves.js",
    "scale.js",
    "score.js",
    "shared.js",
    "state.js",
    "steering.js",
    "themes.js",
    "tiles.js",
    "touch.js",
    "train.js",
    "trainer.js",
    "watch.js",
    "worker.js",
    "zip.js",
}

/// What a single file holds beside the page.
#[derive(Clone, Copy)]
pub enum Inside<'a> {
    /// Modules of WebAssembly, each compressed by gzip, in base64.
    Modules {
        /// The engine.
        engine: &'a str,
        /// The trainer, unless the engine is one, too.
        trainer: Option<&'a str>,
    },
    /// A game.
    Record(&'a Value),
}

/// The page as one file, which works when it is opened from disk.
pub fn single(inside: Inside) -> String {
    let mut script = String::new();
    with_imports("app.js", &mut Vec::new(), &mut script);
    let inside = match inside {
        Inside::Modules { engine, trainer } => {
            let held = |id: &str, text: &str| format!("<script type=\"text/plain\" id=\"{id}\">{text}</script>\n");
            let [worker, trains] = ["worker.js", "trainer.js"].map(text);
            held("wasm", engine)
                + &held("worker-source", worker)
                + &trainer.map(|trainer| held("trainer", trainer)).unwrap_or_default()
                + &held("trainer-source", trains)
        }
        // Nothing in a string can end the script.
        Inside::Record(record) => format!(
            "<script type=\"application/json\" id=\"record\">{}</script>",
            record.to_string().replace('<', "\\u003c")
        ),
    };
    text("index.html").replacen(STYLE, &format!("<style>\n{}</style>", text("style.css")), 1).replacen(
        SCRIPT,
        &format!("{inside}\n<script type=\"module\">\n{script}</script>"),
        1,
    )
}

const STYLE: &str = r#"<link rel="stylesheet" href="style.css">"#;
const SCRIPT: &str = r#"<script type="module" src="app.js"></script>"#;

fn text(name: &str) -> &'static str {
    FILES.iter().find(|file| file.name == name).map_or("", |file| file.text)
}

/// Adds a module after those that it imports, each once, without the words `import` and `export`.
fn with_imports(name: &str, seen: &mut Vec<String>, script: &mut String) {
    if seen.iter().any(|known| known == name) {
        return;
    }
    seen.push(name.to_owned());
    let mut own = String::new();
    let mut lines = text(name).lines();
    while let Some(line) = lines.next() {
        if line.starts_with("import ") {
            let mut statement = line.to_owned();
            while !statement.ends_with(';') {
                let Some(more) = lines.next() else { break };
                statement += more;
            }
            let imported = statement.rsplit_once("'./").map_or("", |(_, rest)| rest.trim_end_matches("';"));
            with_imports(imported, seen, script);
            continue;
        }
        own += line.strip_prefix("export ").unwrap_or(line);
        own.push('\n');
    }
    *script += &own;
}
