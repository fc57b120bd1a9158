//! Calls a method with tonic until standard input ends, and prints the outcome of the calls.

use std::env::var;
use std::error::Error;
use std::io::{ErrorKind, Read};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

/// Number of concurrent calls, and the timeout of each.
const WORKERS: usize = 8;
const DEADLINE: Duration = Duration::from_secs(10);
/// The pause before a call that was never sent is made again.
const RETRY_PAUSE: Duration = Duration::from_millis(2);

/// Passes messages on unchanged.
#[derive(Default)]
struct Bytes;

impl Codec for Bytes {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Bytes;
    type Decoder = Bytes;
    fn encoder(&mut self) -> Bytes {
        Bytes
    }
    fn decoder(&mut self) -> Bytes {
        Bytes
    }
}

impl Encoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;
    fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        bytes::BufMut::put_slice(buffer, &item);
        Ok(())
    }
}

impl Decoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;
    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut message = vec![0; bytes::Buf::remaining(buffer)];
        bytes::Buf::copy_to_slice(buffer, &mut message);
        Ok(Some(message))
    }
}

/// Returns true if a call was never sent: no server listens at the address, or hyper dropped the call from its queue
/// when the connection closed. hyper-util's client retries such calls; tonic leaves that to its caller.
fn is_unsent(status: &Status) -> bool {
    let mut cause = status.source();
    while let Some(error) = cause {
        if let Some(http) = error.downcast_ref::<hyper::Error>()
            && http.is_canceled()
        {
            return true;
        }
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            return io.kind() == ErrorKind::ConnectionRefused;
        }
        cause = error.source();
    }
    false
}

/// Makes one call. Tries the next server only if the call was not sent.
async fn call(
    channels: &[Channel],
    current: &AtomicUsize,
    path: &PathAndQuery,
    message: &[u8],
    authorization: &str,
) -> Result<(), Status> {
    loop {
        let at = current.load(Relaxed);
        let mut client = Grpc::new(channels[at % channels.len()].clone());
        let mut request = Request::new(message.to_vec());
        request.set_timeout(DEADLINE);
        request.metadata_mut().insert("authorization", authorization.parse().unwrap());
        let made = match client.ready().await {
            Ok(()) => client.unary(request, path.clone(), Bytes).await.map(|_| ()),
            Err(error) => Err(Status::from_error(error.into())),
        };
        match made {
            Err(status) if is_unsent(&status) => {
                let _ = current.compare_exchange(at, at + 1, Relaxed, Relaxed);
                tokio::time::sleep(RETRY_PAUSE).await;
            }
            other => return other,
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let hex = var("REQUEST")?;
    let message: Vec<u8> = (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16))
        .collect::<Result<_, _>>()?;
    let path: PathAndQuery = var("METHOD")?.parse()?;
    let authorization = var("AUTHORIZATION")?;
    // The pause after each call.
    let pause = Duration::from_millis(var("PAUSE_MS")?.parse()?);
    let channels = var("ADDRESSES")?
        .split(',')
        .map(|address| Ok(Endpoint::new(format!("http://{address}"))?.connect_lazy()))
        .collect::<Result<Vec<_>, tonic::transport::Error>>()?;

    let stopped = Arc::new(AtomicBool::new(false));
    let stop = stopped.clone();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        stop.store(true, Relaxed);
    });
    let current = AtomicUsize::new(0);
    let ok = AtomicUsize::new(0);
    let lost = Mutex::new(Vec::new());
    let worker = async || {
        while !stopped.load(Relaxed) {
            match call(&channels, &current, &path, &message, &authorization).await {
                Ok(()) => {
                    ok.fetch_add(1, Relaxed);
                }
                Err(status) => lost.lock().unwrap().push(format!("{status:?}")),
            }
            tokio::time::sleep(pause).await;
        }
    };
    let workers: [_; WORKERS] = std::array::from_fn(|_| worker());
    futures_util::future::join_all(workers).await;
    let lost = lost.into_inner()?;
    let texts: Vec<String> = lost.iter().map(|text| format!("{text:?}")).collect();
    println!("{{\"ok\":{},\"lost\":[{}]}}", ok.load(Relaxed), texts.join(","));
    Ok(())
}
