//! The page and its protocol over HTTP: the same answers as in a browser alone, and trainings.
//!
//! | request | answer |
//! |---|---|
//! | `GET /`, `/style.css`, ... | the page's files |
//! | `POST /api/ask` | the [engine](matchq_page)'s answer |
//! | `GET /api/watch` | events of the game that all watch |
//! | `GET /api/runs`, `/api/runs/NAME`, `/api/configs`, `/api/reports`, `/api/reports/NAME` | trainings, configurations, comparisons |
//! | `POST /api/train`, `/api/stop`, `/api/resume`, `/api/agent` | starts, stops and resumes a training; takes a run's agent |

mod guard;
mod runs;
mod thinking;
mod trainings;
mod watch;

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Bytes, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use matchq_page::web;
#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::cli::Serve;
use crate::error::{Error, Result};
use crate::games::{Game, Match3};
use crate::report::output::print;
use guard::Guard;
use thinking::Thinking;
use trainings::Trainings;
use watch::Watch;

/// What all requests share.
struct Server {
    guard: Guard,
    thinking: Thinking,
    trainings: Trainings,
    runs: PathBuf,
    /// The right to read runs: one at a time, whose files may be large.
    disk: Arc<Semaphore>,
    watch: Watch,
}

type Shared = State<Arc<Server>>;

/// Most bytes of a request: a picture or an agent's file in base64; and of all other requests.
const LONGEST: usize = 24 << 20;
const SHORT: usize = 1 << 20;

/// Most connections at once; others wait.
const CONNECTIONS: usize = 512;

/// Time within which a request must have been sent, and each part of an answer taken.
const PATIENCE: Duration = Duration::from_secs(30);

/// Serves until the process ends.
pub fn run(arguments: &Serve) -> Result<()> {
    let Serve { listen, port, runs, player, pace, simulations, game } = arguments;
    let listen = port.map_or(*listen, |port| (Ipv4Addr::LOCALHOST, port).into());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Error::runtime(format!("no threads can be started: {error}")))?;
    runtime.block_on(async {
        let listener = TcpListener::bind(listen)
            .await
            .map_err(|error| Error::user(format!("--listen {listen}: {error}; another port may be free")))?;
        let address = listener.local_addr().unwrap_or(listen);
        let guard = Guard::new(address);
        let link = guard.link(address);
        let thinking = Thinking::new(threads, *simulations);
        let watch = Watch::new(&thinking, game.as_deref().unwrap_or(Match3::NAME), player, *pace)?;
        print(&format!("{link}\n"))?;
        if address.ip().is_unspecified() {
            eprintln!("on other machines {} stands for this machine's name or address", address.ip());
        }
        eprintln!("Ctrl-C ends the server and stops its trainings, which can be resumed");
        let trainings = Trainings::new(runs.clone());
        let server = Arc::new(Server {
            guard,
            thinking,
            trainings,
            runs: runs.clone(),
            disk: Arc::new(Semaphore::new(1)),
            watch,
        });
        watch::start(&server);
        serve(&listener, &routes(server)).await
    })
}

/// Serves each connection, as many at once as may be. A request's head must arrive in time, so that
/// connections without one end.
async fn serve(listener: &TcpListener, routes: &Router) -> ! {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    loop {
        // The semaphore is never closed.
        let place = places.clone().acquire_owned().await.ok();
        let Ok((stream, _)) = listener.accept().await else {
            // Such as too many open files: connections that end make room.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        // The system ends a connection whose other end takes nothing.
        #[cfg(target_os = "linux")]
        SockRef::from(&stream).set_tcp_user_timeout(Some(PATIENCE)).ok();
        let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes.clone()));
        tokio::spawn(async move {
            // A broken connection is its other end's affair.
            connection.await.ok();
            drop(place);
        });
    }
}

fn routes(server: Arc<Server>) -> Router {
    let api = Router::new()
        .route("/ask", post(thinking::ask))
        .route("/watch", get(watch::events))
        .route("/runs", get(runs::list))
        .route("/runs/{name}", get(runs::one))
        .route("/configs", get(runs::configurations))
        .route("/reports", get(runs::reports))
        .route("/reports/{name}", get(runs::report))
        .route("/train", post(trainings::start))
        .route("/stop", post(trainings::stop))
        .route("/resume", post(trainings::resume))
        .route("/agent", post(trainings::agent))
        .route_layer(middleware::from_fn_with_state(server.clone(), guard::check_api));
    Router::new()
        .route("/", get(|| async { file(Path("index.html".to_owned())).await }))
        .route("/{name}", get(file))
        .nest("/api", api)
        .layer(middleware::from_fn_with_state(server.clone(), guard::check))
        .with_state(server)
}

/// A file of the page; the program holds them all.
async fn file(Path(name): Path<String>) -> Response {
    match web::FILES.iter().find(|file| file.name == name) {
        Some(file) => {
            let text = match file.name {
                "index.html" => file.text.replacen("<html ", "<html data-engine=\"serve\" ", 1),
                _ => file.text.to_owned(),
            };
            ([(header::CONTENT_TYPE, HeaderValue::from_static(file.kind))], text).into_response()
        }
        None => (StatusCode::NOT_FOUND, "there is no such page\n").into_response(),
    }
}

/// What a lock holds, also after a panic under it.
fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A sentence as the answer to a request that is wrong, or fails.
struct Refusal(StatusCode, String);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.0, axum::Json(serde_json::json!({"error": self.1}))).into_response()
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let status = if error.exit_code() == 2 { StatusCode::BAD_REQUEST } else { StatusCode::INTERNAL_SERVER_ERROR };
        Self(status, error.to_string())
    }
}

type Answer = std::result::Result<axum::Json<serde_json::Value>, Refusal>;

/// The body of a request, which must arrive in time.
async fn body(request: Request, most: usize) -> std::result::Result<Bytes, Refusal> {
    let read = timeout(PATIENCE, to_bytes(request.into_body(), most)).await;
    let slow = || Refusal(StatusCode::REQUEST_TIMEOUT, format!("the request was not sent in {} s", PATIENCE.as_secs()));
    read.map_err(|_| slow())?.map_err(|error| {
        let sentence = format!("the request cannot be read, or has more than {most} bytes: {error}");
        Refusal(StatusCode::PAYLOAD_TOO_LARGE, sentence)
    })
}

/// The body of a request as JSON; in a sentence what is wrong with it.
fn parsed<T: serde::de::DeserializeOwned>(body: &[u8]) -> std::result::Result<T, Refusal> {
    let wrong = |error| Refusal(StatusCode::BAD_REQUEST, format!("the request is not understood: {error}"));
    serde_json::from_slice(body).map_err(wrong)
}
