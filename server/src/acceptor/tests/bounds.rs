//! Who is counted as whom, how much of plain HTTP there is, and who isn't even told.

use super::*;
use crate::TrustedProxy;
use crate::http::metrics::metrics;
use axum::extract::State;
use axum::response::IntoResponse;

/// Connections of one address at once.
const AT_ONCE: usize = 256;

fn forwarded(client: &str) -> String {
    format!("X-Forwarded-For: 198.51.100.1, {client}\r\n")
}

async fn is_let_in(mut guest: Guest) -> bool {
    let agent = "test".to_owned();
    let version = VERSION;
    guest.say(&ClientMessage::Hello(Hello { version, agent })).await;
    let heard = guest.hear().await;
    heard.is(|message| matches!(message, ServerMessage::Welcome { .. }))
}

#[tokio::test(start_paused = true)]
async fn who_comes_through_a_proxy_that_is_named_counts_by_its_own_address() {
    let proxies = vec![TrustedProxy::Address(Ipv4Addr::new(10, 0, 0, 9).into())];
    let street = Street::start_with(ServerConfig { proxies, ..ServerConfig::default() });
    let storm = forwarded("203.0.113.7");
    let mut guests = Vec::new();
    for _ in 0..AT_ONCE {
        guests.push(street.guest_with(9, &storm).await);
    }
    assert!(is_let_in(guests.pop().unwrap()).await);
    let mut refused = street.guest_with(9, &storm).await;
    let busy = Farewell::Busy { retry_seconds: 2 };
    assert_eq!(refused.end().await, (Some(busy), 1013));
    let other = forwarded("203.0.113.8");
    assert!(is_let_in(street.guest_with(9, &other).await).await);
    // What the proxy doesn't say is its own.
    assert!(is_let_in(street.guest(9).await).await);
}

#[tokio::test(start_paused = true)]
async fn nobody_else_is_believed_whom_it_comes_for() {
    let street = Street::start_with(ServerConfig {
        proxies: vec![TrustedProxy::Loopback],
        ..ServerConfig::default()
    });
    let mut guests = Vec::new();
    for n in 0..AT_ONCE {
        let another = forwarded(&format!("203.0.113.{n}"));
        guests.push(street.guest_with(1, &another).await);
    }
    let mut refused = street.guest_with(1, &forwarded("203.0.114.1")).await;
    let busy = Farewell::Busy { retry_seconds: 2 };
    assert_eq!(refused.end().await, (Some(busy), 1013));
}

#[tokio::test(start_paused = true)]
async fn one_connection_gets_so_many_pages_and_no_more() {
    let street = Street::start();
    let mut stream = street.come(1);
    let page = "GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n";
    stream.write_all(page.repeat(100).as_bytes()).await.unwrap();
    let mut answers = Vec::new();
    stream.read_to_end(&mut answers).await.ok();
    let answers = String::from_utf8(answers).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200").count(), MAX_REQUESTS as usize);
    assert_eq!(answers.matches("connection: close").count(), 1);
}

#[tokio::test(start_paused = true)]
async fn who_is_dropped_without_a_word_is_counted() {
    let street = Street::start();
    let mut crowd: Vec<_> = (0..AT_ONCE + MAX_TURNED_AWAY).map(|_| street.come(1)).collect();
    let dropped = street.come(1);
    until_end(dropped).await;
    assert!(crowd.pop().unwrap().write_all(b"GET ").await.is_ok());
    let answer = metrics(State(Arc::clone(&street.state))).await;
    let body = answer.into_response().into_body();
    let text = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let text = String::from_utf8(text.to_vec()).unwrap();
    let line = "gridrace_dismissed_total{cause=\"unheard\"} 1\n";
    assert!(text.contains(line), "{text}");
}
