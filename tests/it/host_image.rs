//! An image of the host's, in a private room.

use crate::harness::{TestServer, options, stopped};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::puzzle::picture::room_image::{BYTES, RoomImage, SIDE};
use gridrace_shared::util::hex_bytes::HexBytes;

fn private() -> HeatOptions {
    HeatOptions { private: true, picture: true, ..options("slide:3x3") }
}

fn stripes() -> RoomImage {
    let color = |at: usize| [[200, 40, 30], [30, 90, 220]][at % SIDE / (SIDE / 2)];
    RoomImage::encode(&(0..SIDE * SIDE).map(color).collect::<Vec<_>>())
}

fn shows(image: &RoomImage) -> ClientMessage {
    ClientMessage::Image { image: Some(image.clone().into()) }
}

#[tokio::test]
async fn all_members_get_the_image_once_also_on_the_next_server() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start_at(folder.path());
    let (mut anna, mut ben) = (server.client().await, server.json_client().await);
    let mut cleo = server.client().await;
    let code = anna.open("Anna", &private()).await;
    ben.join(code, "Ben", Role::Player).await;
    let image = stripes();
    anna.say(shows(&image)).await;
    ben.until("the image", |ben| ben.view().image.is_some()).await;
    anna.until("its own image", |anna| anna.view().image.is_some()).await;
    cleo.join(code, "Cleo", Role::Spectator).await;
    cleo.until("the image", |cleo| cleo.view().image.is_some()).await;
    anna.until_members(3).await;
    anna.start().await;
    for client in [&mut anna, &mut ben, &mut cleo] {
        client.until_go().await;
    }
    anna.say(ClientMessage::EndHeat).await;
    anna.rematch().await;
    for client in [&mut anna, &mut ben, &mut cleo] {
        client.settle().await;
        let images = client.pick(|message| {
            if let ServerMessage::Image(image) = message { Some(image.clone()) } else { None }
        });
        assert_eq!(images, [Some(image.clone())]);
    }

    let stopping = server.begin_to_stop();
    for client in [&mut anna, &mut ben, &mut cleo] {
        client.until_closed().await;
    }
    stopped(stopping).await;
    let server = TestServer::start_at(folder.path());
    let mut ben = server.resume(&ben.ticket()).await;
    ben.until("the image", |ben| ben.view().image.as_ref() == Some(&image)).await;
}

#[tokio::test]
async fn what_is_no_image_and_who_may_not_show_one_is_refused() {
    let server = TestServer::start();
    let (mut anna, mut ben) = server.two_players(&private()).await;
    let image = stripes();
    ben.refused_for(shows(&image), Refusal::NotHost).await;
    for length in [0, BYTES - 1, BYTES + 1] {
        let image = Some(HexBytes(vec![7; length]));
        anna.refused_for(ClientMessage::Image { image }, Refusal::ImageLength).await;
    }
    anna.say(shows(&image)).await;
    anna.until("the image", |anna| anna.view().image.is_some()).await;
    anna.refused_for(ClientMessage::Image { image: None }, Refusal::TooFast).await;
    let public = HeatOptions { private: false, ..private() };
    anna.say(ClientMessage::Options { options: public, seed: None }).await;
    ben.until("that the image is gone", |ben| ben.view().image.is_none()).await;
    anna.refused_for(shows(&image), Refusal::ImageNotPrivate).await;
}
