use super::*;
use crate::bot::Pace;
use crate::bot::aids::Aids;
use crate::hosting;
use gridrace_shared::bot::Skill;
use gridrace_shared::options::HeatOptions;

#[tokio::test(flavor = "multi_thread")]
async fn bots_that_stay_race_heat_after_heat_among_themselves() {
    let hosted = hosting::host(false).await.unwrap();
    let mut options = HeatOptions::new("slide:2x2".parse().unwrap());
    options.countdown_seconds = 1;
    let mut entry = Entry::Open {
        options,
        seed: None,
    };
    let (over, mut reports) = mpsc::channel(8);
    let (stop, stopped) = watch::channel(false);
    let mut bots = Vec::new();
    for name in ["one", "two"] {
        let (skill, pace) = (Skill::Master, Pace::times(10));
        let aids = Aids::of(hosted.tables.clone());
        let brain = Brain {
            skill,
            pace,
            seed: name.parse().unwrap(),
            aids,
        };
        let names = || name.to_owned();
        let bot = BotPlayer::enter(&hosted.place.address, &entry, names, brain)
            .await
            .unwrap();
        entry = Entry::Join(bot.code());
        bots.push(bot);
    }
    let playing: Vec<_> = (bots.into_iter())
        .map(|bot| tokio::spawn(bot.play(true, over.clone(), stopped.clone())))
        .collect();
    let minute = Duration::from_secs(60);
    let mut last = 0;
    while last < 2 {
        let report = tokio::time::timeout(minute, reports.recv())
            .await
            .unwrap()
            .unwrap();
        assert!(report.is_proven() && report.standings.iter().all(|row| row.finished));
        last = report.number;
    }
    stop.send_replace(true);
    for bot in playing {
        assert!(bot.await.unwrap().is_ok());
    }
    hosted.stop().await;
}
