//! The ways into a room: the home screen, the form, the list of rooms.

use crate::net::address::{Address, HERE, LinkTarget, ServerLink, ServerNames};
use crate::session::NewTournament;
use crate::tui::model::form::{Field, Form};
use crate::tui::model::{FollowGoal, Goal, Intent, NewRoom, OFFERS};
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::pin::{PIN_DIGITS, Pin};
use gridrace_shared::heat::player_name::{NAME_GRAPHEMES, PlayerName};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::RoomSummary;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::tournament::ids::{TOURNAMENT_NAME_CHARACTERS, TeamTag};
use gridrace_shared::tournament::plan::TournamentPlan;
use gridrace_shared::tournament::settings::TournamentSettings;

/// The longest address that is typed, in graphemes.
const ADDRESS_LIMIT: usize = 120;
/// The longest plan that is typed, in graphemes.
const PLAN_LIMIT: usize = 120;
/// The lines of a new tournament's form that others don't have.
const PLAN: usize = 4;
const PUZZLE: usize = 5;
/// The plans that are offered.
const PLANS: &[&str] =
    &["series:5", "ao5", "knockout:bo3", "double:bo3", "swiss:8x5", "heats:8/2+final:3"];
/// The longest puzzle that is typed, in graphemes.
const PUZZLE_LIMIT: usize = 40;

#[derive(Debug, Clone)]
pub struct Home {
    /// The index of the entry under the cursor: the choices come first, then the servers nearby.
    pub chosen: usize,
    /// The role in which a room nearby is joined.
    pub role: Role,
}

impl Default for Home {
    fn default() -> Self {
        Self { chosen: 0, role: Role::Player }
    }
}

impl Home {
    /// Puts the cursor at a choice.
    pub fn at(choice: HomeChoice) -> Self {
        let chosen = HomeChoice::ALL.iter().position(|it| *it == choice);
        Self { chosen: chosen.unwrap_or(0), ..Self::default() }
    }

    /// Returns the number of the entry nearby under the cursor.
    pub const fn chosen_entry(&self) -> Option<usize> {
        self.chosen.checked_sub(HomeChoice::ALL.len())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HomeChoice {
    /// A heat against bots, at once.
    Play,
    /// The tutorial.
    Learn,
    Host,
    Join,
    /// Another's room, as a spectator.
    Watch,
    /// A server's tournaments, or one's own.
    Tournament,
    /// The player's own races.
    Stats,
    Quit,
}

impl HomeChoice {
    /// Every choice, in the order shown.
    pub const ALL: [Self; 8] = [
        Self::Play,
        Self::Learn,
        Self::Host,
        Self::Join,
        Self::Watch,
        Self::Tournament,
        Self::Stats,
        Self::Quit,
    ];

    /// Returns the key that chooses it, its name and an explanation.
    pub const fn words(self) -> (char, &'static str, &'static str) {
        match self {
            Self::Play => ('p', "Play now", "against bots, at once"),
            Self::Learn => ('l', "Learn", "a short tutorial"),
            Self::Host => ('h', "Host", "a room for others"),
            Self::Join => ('j', "Join", "by code or address"),
            Self::Watch => ('w', "Watch", "all boards of a room"),
            Self::Tournament => ('t', "Tournament", "enter, watch, open"),
            Self::Stats => ('s', "Stats", "your races and ghosts"),
            Self::Quit => ('q', "Quit", ""),
        }
    }
}

/// What a form leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    Join(Role),
    /// A room of one's own. The form says where, and which puzzle, name and PIN.
    Host(Box<NewRoom>),
    /// A tournament by its name, or a list of them.
    Tournament {
        /// Whether the player enters the tournament, and for which team.
        entry: Option<Option<TeamTag>>,
    },
    /// A tournament of one's own.
    OpenTournament,
}

impl Purpose {
    /// Says whether the link of a room or tournament leads there, not only to its server.
    pub const fn follows_links(&self) -> bool {
        match self {
            Self::Join(_) | Self::Tournament { .. } => true,
            Self::Host(_) | Self::OpenTournament => false,
        }
    }

    /// Returns the choice of the home screen that has this purpose.
    pub const fn home_choice(&self) -> HomeChoice {
        match self {
            Self::Join(Role::Player) => HomeChoice::Join,
            Self::Join(Role::Spectator) => HomeChoice::Watch,
            Self::Host(_) => HomeChoice::Host,
            Self::Tournament { .. } | Self::OpenTournament => HomeChoice::Tournament,
        }
    }

    /// Returns the role in which the player comes into the room.
    pub const fn role(&self) -> Role {
        match self {
            Self::Join(role) => *role,
            Self::Host(_) | Self::Tournament { .. } | Self::OpenTournament => Role::Player,
        }
    }
}

/// Where and under which name to join, or to host.
#[derive(Debug, Clone)]
pub struct JoinForm {
    pub form: Form,
    pub purpose: Purpose,
    /// Whether the server is being asked.
    pub busy: bool,
    /// What went wrong that no line is to blame for.
    pub trouble: Option<String>,
}

/// Which line of the form is wrong, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinFormError {
    Address = 0,
    /// The code of the room, or the puzzle of a new one.
    Room = 1,
    Name = 2,
    Pin = 3,
}

impl JoinForm {
    /// Makes a form with what is known already.
    pub fn new(address: &str, code: Option<RoomCode>, name: &str, role: Role) -> Self {
        let code = code.map(|code| code.to_string()).unwrap_or_default();
        let focus = if address.is_empty() { 0 } else { 1 };
        let fields = vec![
            Field::text("address", "empty: this machine", address, ADDRESS_LIMIT),
            Field::text("code", "empty: list the rooms", &code, 4),
            Field::text("name", "", name, NAME_GRAPHEMES),
            Field::text("PIN", "if the room has one", "", *PIN_DIGITS.end()),
        ];
        let purpose = Purpose::Join(role);
        Self { form: Form::new(fields, focus), purpose, busy: false, trouble: None }
    }

    /// Makes a form for a new room.
    pub fn host(address: &str, room: NewRoom, name: &str) -> Self {
        let puzzle = room.options.spec.to_string();
        let fields = vec![
            Field::text("address", "empty: this machine", address, ADDRESS_LIMIT),
            Field::offered("puzzle", "left, right: others", &puzzle, PUZZLE_LIMIT, OFFERS),
            Field::text("name", "", name, NAME_GRAPHEMES),
            Field::text("PIN", "empty: anyone with the code", "", *PIN_DIGITS.end()),
        ];
        let purpose = Purpose::Host(Box::new(room));
        Self { form: Form::new(fields, 0), purpose, busy: false, trouble: None }
    }

    /// Makes a form for a tournament of a server.
    pub fn tournament(address: &str, tournament: &str, name: &str) -> Self {
        let fields = vec![
            Field::text("address", "empty: this machine", address, ADDRESS_LIMIT),
            Field::text("tournament", "empty: list them", tournament, TOURNAMENT_NAME_CHARACTERS),
            Field::text("name", "", name, NAME_GRAPHEMES),
            Field::text("PIN", "if it has one", "", *PIN_DIGITS.end()),
        ];
        let purpose = Purpose::Tournament { entry: None };
        Self { form: Form::new(fields, 0), purpose, busy: false, trouble: None }
    }

    /// Makes the form that leads to a goal as well, unless that is to be opened.
    pub fn of_goal(goal: &Goal) -> Option<Self> {
        let Goal { address, name, .. } = goal;
        let form = match &goal.intent {
            Intent::Join { code, role } => Self::new(address, Some(*code), name, *role),
            Intent::List { role } => Self::new(address, None, name, *role),
            Intent::Tournaments => Self::tournament(address, "", name),
            Intent::Follow(follow) => Self::tournament(address, follow.name.as_str(), name)
                .with_entry(follow.entry.clone()),
            Intent::Open(_) | Intent::OpenTournament(_) => return None,
        };
        Some(form.with_pin(goal.pin.as_ref()))
    }

    /// Has the player enter the tournament that the form leads to, if there is an entry.
    pub fn with_entry(mut self, entry: Option<Option<TeamTag>>) -> Self {
        self.purpose = Purpose::Tournament { entry };
        self
    }

    /// Makes a form for a new tournament.
    pub fn open_tournament(address: &str, name: &str) -> Self {
        let fields = vec![
            Field::text("address", "empty: this machine", address, ADDRESS_LIMIT),
            Field::text("tournament", "a-z, 0-9 and -", "", TOURNAMENT_NAME_CHARACTERS),
            Field::text("name", "", name, NAME_GRAPHEMES),
            Field::text("PIN", "empty: anyone may enter", "", *PIN_DIGITS.end()),
            Field::offered("plan", "left, right: others", PLANS[0], PLAN_LIMIT, PLANS),
            Field::offered("puzzle", "left, right: others", OFFERS[0], PUZZLE_LIMIT, OFFERS),
        ];
        let purpose = Purpose::OpenTournament;
        Self { form: Form::new(fields, 1), purpose, busy: false, trouble: None }
    }

    /// Says whether the room is to be opened on this machine.
    pub fn hosts_here(&self) -> bool {
        matches!(self.purpose, Purpose::Host(_) | Purpose::OpenTournament)
            && self.form.value(0).is_empty()
    }

    pub fn with_pin(mut self, pin: Option<&Pin>) -> Self {
        if let Some(pin) = pin {
            self.form.fill(JoinFormError::Pin as usize, String::from(pin.clone()));
        }
        self
    }

    /// Returns where the form leads, by address or by the name of a server, or marks what is wrong in it.
    pub fn goal(&mut self, servers: &ServerNames) -> Option<Goal> {
        self.form.forgive();
        self.trouble = None;
        let link = match self.form.value(0) {
            "" => HERE.parse::<Address>().map(ServerLink::from),
            address => servers.resolve_link(address),
        };
        let target = link.as_ref().ok().and_then(|link| link.target.as_ref());
        let name = self.form.value(2).parse::<PlayerName>();
        let pin = match self.form.value(3) {
            "" => Ok(None),
            pin => pin.parse::<Pin>().map(Some),
        };
        let intent = self.intent(target, pin.as_ref().ok().and_then(Option::as_ref));
        if let Err(fault) = &pin {
            self.blame(JoinFormError::Pin, fault.to_string());
        }
        // The first line that is wrong gets the cursor, so it is blamed last.
        if let Err(fault) = &name {
            self.blame(JoinFormError::Name, fault.to_string());
        }
        if let Err((field, fault)) = &intent {
            self.form.blame(*field, fault);
        }
        if let Err(fault) = &link {
            self.blame(JoinFormError::Address, fault.to_string());
        }
        let (address, intent, name) = (link.ok()?.address, intent.ok()?, name.ok()?);
        let pin = pin.ok()?;
        let (address, name) = (address.to_string(), name.as_str().to_owned());
        Some(Goal { address, name, variant: 1, intent, pin })
    }

    /// Returns what the form asks for, or what is wrong with the room in it.
    fn intent(
        &self,
        target: Option<&LinkTarget>,
        pin: Option<&Pin>,
    ) -> Result<Intent, (usize, String)> {
        let room = self.form.value(1);
        let in_room = |error: String| (JoinFormError::Room as usize, error);
        if let (true, Some(target)) = (self.purpose.follows_links(), target) {
            return self.follow_link(target).map_err(in_room);
        }
        match &self.purpose {
            Purpose::Join(role) if room.is_empty() => Ok(Intent::List { role: *role }),
            Purpose::Join(role) => match room.parse() {
                Ok(code) => Ok(Intent::Join { code, role: *role }),
                Err(_) => Err(in_room("four letters, no vowels, such as KQZT".to_owned())),
            },
            Purpose::Tournament { .. } if room.is_empty() => Ok(Intent::Tournaments),
            Purpose::Tournament { entry } => {
                let name = room.parse().map_err(|error| in_room(format!("{error}")))?;
                Ok(Intent::Follow(FollowGoal { name, entry: entry.clone() }))
            }
            Purpose::OpenTournament => {
                let name = room.parse().map_err(|error| in_room(format!("{error}")))?;
                let plan: TournamentPlan =
                    self.form.value(PLAN).parse().map_err(|error| (PLAN, format!("{error}")))?;
                let spec = PuzzleSpec::from_typed(self.form.value(PUZZLE));
                let spec = spec.map_err(|error| (PUZZLE, error.to_string()))?;
                let settings = TournamentSettings::new(spec);
                let pin = pin.cloned();
                Ok(Intent::OpenTournament(Box::new(NewTournament { name, plan, settings, pin })))
            }
            Purpose::Host(new) => {
                let mut new = new.clone();
                new.options.spec =
                    PuzzleSpec::from_typed(room).map_err(|error| in_room(error.to_string()))?;
                new.options.private |= pin.is_some();
                Ok(Intent::Open(new))
            }
        }
    }

    /// Returns where a link in place of the address leads: its code or name, unless the line for that
    /// has another.
    fn follow_link(&self, target: &LinkTarget) -> Result<Intent, String> {
        let named = match target {
            LinkTarget::Room(code) => code.to_string(),
            LinkTarget::Tournament(name) => name.to_string(),
        };
        let room = self.form.value(1);
        if !room.is_empty() && !room.eq_ignore_ascii_case(&named) {
            return Err(format!("the link in the first line leads to {named}"));
        }
        let entry =
            if let Purpose::Tournament { entry } = &self.purpose { entry.clone() } else { None };
        Ok(match target {
            LinkTarget::Room(code) => Intent::Join { code: *code, role: self.purpose.role() },
            LinkTarget::Tournament(name) => {
                Intent::Follow(FollowGoal { name: name.clone(), entry })
            }
        })
    }

    /// Says what is wrong, at the line that it is about.
    pub fn blame(&mut self, fault: JoinFormError, error: impl Into<String>) {
        self.busy = false;
        self.form.blame(fault as usize, error);
    }

    /// Says what went wrong, at the line that it is about, if there is one.
    pub fn fail(&mut self, fault: Option<JoinFormError>, error: String) {
        match fault {
            Some(fault) => self.blame(fault, error),
            None => {
                self.busy = false;
                self.trouble = Some(error);
            }
        }
    }

    /// Returns what is wrong, the line with the cursor first.
    pub fn error(&self) -> Option<&str> {
        self.form.error().or(self.trouble.as_deref())
    }
}

/// Which of a server's rooms to join. The list asks the server again by itself.
#[derive(Debug, Clone)]
pub struct Choose {
    pub rooms: Vec<RoomSummary>,
    pub chosen: usize,
    pub role: Role,
    pub form: JoinForm,
}

impl Choose {
    /// Takes in the latest list; the cursor stays at its room.
    pub fn update(&mut self, rooms: Vec<RoomSummary>) {
        let code = self.rooms.get(self.chosen).map(|room| room.code);
        let at = rooms.iter().position(|room| Some(room.code) == code);
        self.chosen = at.unwrap_or(self.chosen.min(rooms.len().saturating_sub(1)));
        self.rooms = rooms;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::heat::options::HeatOptions;

    #[test]
    fn a_form_leads_somewhere_or_says_what_is_wrong_in_place() {
        let mut form = JoinForm::new("10.0.0.7", None, "anna", Role::Player);
        let goal = form.goal(&ServerNames::default()).unwrap();
        assert_eq!(goal.address, "10.0.0.7:7415");
        assert_eq!(goal.intent, Intent::List { role: Role::Player });

        let mut form = JoinForm::new("", None, "anna", Role::Spectator);
        assert_eq!(form.goal(&ServerNames::default()).unwrap().address, "127.0.0.1:7415");

        let room = NewRoom::new(HeatOptions::new("slide:4x4".parse().unwrap()));
        let mut form = JoinForm::host("10.0.0.7", room, "anna");
        form.form.fill(1, "3x3".to_owned());
        form.form.fill(3, "4711".to_owned());
        let goal = form.goal(&ServerNames::default()).unwrap();
        let Intent::Open(room) = goal.intent else { panic!("{goal:?}") };
        assert_eq!(room.options.spec.to_string(), "slide:3x3");
        assert!(room.options.private && goal.pin.is_some() && !form.hosts_here());
        form.form.fill(1, "99x99".to_owned());
        assert_eq!((form.goal(&ServerNames::default()), form.form.focus), (None, 1));

        let mut form = JoinForm::new("http://10.0.0.7/GZCG", None, "anna", Role::Spectator);
        let goal = form.goal(&ServerNames::default()).unwrap();
        assert_eq!(goal.address, "10.0.0.7:7415");
        let (code, role) = ("GZCG".parse().unwrap(), Role::Spectator);
        assert_eq!(goal.intent, Intent::Join { code, role });
        form.form.fill(1, "KQZT".to_owned());
        assert_eq!((form.goal(&ServerNames::default()), form.form.focus), (None, 1));
        assert!(form.error().unwrap().contains("GZCG"));
        let mut form = JoinForm::tournament("http://10.0.0.7/t/friday", "", "anna");
        let goal = form.goal(&ServerNames::default()).unwrap();
        let follow = FollowGoal { name: "friday".parse().unwrap(), entry: None };
        assert_eq!(goal.intent, Intent::Follow(follow));

        let mut form = JoinForm::new("a b", None, "", Role::Player);
        assert_eq!(form.goal(&ServerNames::default()), None);
        assert_eq!(form.form.focus, 0);
        assert!(form.form.fields[0].error.is_some() && form.form.fields[2].error.is_some());
    }
}
