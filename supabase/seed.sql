-- The demo: Harbour Street, a small clinic, two months into using Linnet. Only `npm start -- --demo` runs it, on
-- new data. Conversations are written below as people would write them; what stands in braces is chosen anew each
-- time (`{a|b}` one of these, `{day}` a word of its list, the same within a conversation).

-- Triggers rest meanwhile: numbers are dealt out at once at the end, and nobody listens to three thousand broadcasts.
alter table public.profiles disable trigger user;
alter table public.workspace_members disable trigger user;
alter table public.channel_members disable trigger user;
alter table public.channel_counters disable trigger user;
alter table public.channel_member_state disable trigger user;
alter table public.messages disable trigger user;
alter table public.mentions disable trigger user;
alter table public.thread_members disable trigger user;
alter table public.sections disable trigger user;

-- People ------------------------------------------------------------------------------------------------

create temp table demo_people (nick text primary key, name text, role text, emoji text, status text);
insert into demo_people values
  ('ann', 'Ann Okafor', 'owner', null, null),
  ('bea', 'Bea Lindqvist', 'admin', '🌷', 'Doing the rota'),
  ('noor', 'Noor Haddad', 'member', null, null),
  ('tomas', 'Tomás Ferreira', 'member', '🩺', 'In surgery'),
  ('yuki', 'Yuki Tanaka', 'member', null, null),
  ('sam', 'Sam Whitfield', 'member', '🚲', 'Home visits until three'),
  ('ola', 'Ola Nowak', 'member', null, null),
  ('lukas', 'Lukas Brandt', 'member', null, null),
  ('camille', 'Camille Roux', 'member', '🌴', 'Back on Monday'),
  ('mariana', 'Mariana Costa', 'member', null, null),
  ('karim', 'Karim Aziz', 'member', '🌙', 'Nights this week'),
  ('gus', 'Gus Patel', 'guest', null, null);

create function pg_temp.demo_id(of text) returns uuid language sql immutable
as $$ select md5('harbour street, ' || of)::uuid $$;

-- The columns that the auth service expects to be text are empty, never null.
insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, confirmation_token,
  recovery_token, email_change_token_new, email_change, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
select '00000000-0000-0000-0000-000000000000', pg_temp.demo_id('account ' || nick), 'authenticated', 'authenticated',
  nick || '@harbour.example', '', now() - interval '62 days', '', '', '', '',
  '{"provider": "email", "providers": ["email"]}',
  -- The demo's owner has hidden the first steps.
  case when nick = 'ann' then '{"first_steps": "hidden"}'::jsonb else '{}' end,
  now() - interval '62 days', now() - interval '62 days'
from demo_people;
insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
select id::text, id, jsonb_build_object('sub', id, 'email', email, 'email_verified', true), 'email', null, created_at,
  created_at
from auth.users where id in (select pg_temp.demo_id('account ' || nick) from demo_people);

insert into public.profiles (id, user_id, name, status_emoji, status_text, created_at)
select pg_temp.demo_id(nick), pg_temp.demo_id('account ' || nick), name, emoji, status, now() - interval '62 days'
from demo_people;
update public.profiles set presence = 'dnd', presence_until = now() + interval '3 hours'
where id = pg_temp.demo_id('tomas');
update public.profiles p set title = t.title, time_zone = t.zone
from (values
  ('ann', 'Practice manager', 'Europe/London'), ('bea', 'Lead nurse', 'Europe/London'),
  ('tomas', 'Surgeon', 'Europe/Lisbon'), ('yuki', 'Radiographer', 'Asia/Tokyo'),
  ('sam', 'Community physiotherapist', 'Europe/London'), ('camille', 'Dietitian', 'Europe/Paris'),
  ('mariana', 'Pharmacist', 'America/Sao_Paulo'), ('gus', 'Garden volunteer', null)
) t (nick, title, zone)
where p.id = pg_temp.demo_id(t.nick);
update public.profiles set status_expires_at = now() + interval '3 days' where id = pg_temp.demo_id('camille');
insert into public.workspaces (id, name, language, created_at)
values (pg_temp.demo_id('workspace'), 'Harbour Street', 'en', now() - interval '62 days');
insert into public.workspace_members (workspace_id, profile_id, role, created_at)
select pg_temp.demo_id('workspace'), pg_temp.demo_id(nick), role, now() - interval '62 days' from demo_people;

-- Channels ----------------------------------------------------------------------------------------------

-- `goal`: messages over the two months; null: each text once. `hours`: from when to when people write there. `people` null: all members.
create temp table demo_channels (
  nick text primary key, kind text, name text, topic text, posting text, goal integer, opens integer, lasts integer,
  people text[]
);
insert into demo_channels values
  ('welcome', 'public', 'welcome', 'Say hello. How we work is in the pinned message.', 'everyone', null, 8, 9, null),
  ('announcements', 'public', 'announcements', 'From Ann and Bea, for everyone. Questions go in threads.', 'admins', null, 8, 8, null),
  ('front-desk', 'public', 'front-desk', 'What the desk needs to know today.', 'everyone', 900, 7, 11, null),
  ('rota', 'public', 'rota', 'Who works when. Swaps are agreed here, then Bea updates the sheet.', 'everyone', 450, 7, 11, null),
  ('pharmacy', 'public', 'pharmacy', 'Stock, deliveries, the fridge.', 'everyone', 390, 8, 9, null),
  ('night-team', 'public', 'night-team', 'Hand-over at 20:00 and 07:30.', 'everyone', 400, 20, 9,
    '{ann,bea,noor,karim,yuki,ola,sam}'),
  ('building-works', 'public', 'building-works', 'Room 3, the lift, the roof.', 'everyone', 230, 7, 10,
    '{ann,bea,sam,lukas,gus}'),
  ('open-day', 'public', 'open-day', 'Saturday the 12th, ten to four.', 'everyone', null, 9, 8,
    '{ann,bea,sam,ola,mariana}'),
  ('kitchen', 'public', 'kitchen', 'Lunch, cake, lost cups.', 'everyone', 260, 9, 8, null),
  ('partners', 'private', 'partners', 'Ann, Bea, Tomás, Lukas.', 'everyone', 160, 8, 10, '{ann,bea,tomas,lukas}'),
  ('ann bea', 'direct', null, '', 'everyone', 120, 7, 12, '{ann,bea}'),
  ('ann noor', 'direct', null, '', 'everyone', 60, 8, 12, '{ann,noor}'),
  ('ann tomas', 'direct', null, '', 'everyone', 40, 8, 11, '{ann,tomas}'),
  ('bea noor', 'direct', null, '', 'everyone', 50, 8, 12, '{bea,noor}'),
  ('ann yuki sam ola', 'group', null, '', 'everyone', 60, 10, 9, '{ann,yuki,sam,ola}');
update demo_channels set people = array(select nick from demo_people where role <> 'guest') where people is null;
update demo_channels set people = people || '{gus}' where nick = 'kitchen';

insert into public.channels (id, workspace_id, kind, name, topic, posting, direct_key, created_by, created_at)
select pg_temp.demo_id('#' || c.nick), pg_temp.demo_id('workspace'), c.kind, c.name, c.topic, c.posting,
  case c.kind when 'direct' then keys.joined when 'group' then app.hash_token(keys.joined) end,
  pg_temp.demo_id('ann'), now() - interval '62 days'
from demo_channels c, lateral (
  select string_agg(pg_temp.demo_id(p)::text, ':' order by pg_temp.demo_id(p)) as joined from unnest(c.people) p
) keys;
update public.channels c set description = described.description
from (values
  ('announcements', 'What everyone has to know: openings, closures, rules that change. Ann and Bea write here, a few times a week. Ask in the thread of a message.'),
  ('rota', E'The rota for all rooms and the phones.\n\nSwaps are agreed here first. Bea enters them into the sheet, and what the sheet says counts.'),
  ('night-team', 'Everyone who works nights, and whoever takes over from them. Hand-over notes stay here for the day team to read.'),
  ('building-works', 'All that is being built or mended, with Gus and his people. No patients'' names, please: they are guests.')
) described (nick, description)
where c.id = pg_temp.demo_id('#' || described.nick);
-- What is over is closed: it can be read and found, but nobody writes there by mistake.
update public.channels set archived_at = now() - interval '210 minutes' where id = pg_temp.demo_id('#open-day');
insert into public.channel_members (channel_id, profile_id, workspace_id, role, created_at)
select pg_temp.demo_id('#' || c.nick), pg_temp.demo_id(p), pg_temp.demo_id('workspace'),
  case when p = 'ann' and c.name is not null then 'admin' else 'member' end, now() - interval '62 days'
from demo_channels c, unnest(c.people) p;

-- Conversations -----------------------------------------------------------------------------------------
-- One conversation after another, blank lines between. `> ` answers in the thread of the line before, `>> ` also in
-- the channel. `!` begins what occurs once. After ` ~ `: reactions with how many, `pin`, `file:` one of demo/files.json.

create temp table demo_scripts (channel text, content text);
insert into demo_scripts values
('welcome', $$
ann: Welcome to Linnet. This is ours: it runs on the little machine in the back office and nobody else reads it. Channels are for topics, threads keep the side talk together, and nobody has to answer in the evening. ~ 💛6 👏4 pin
bea: I moved the rota over from the spreadsheet. Please look at #rota before you ask me. ~ 😄5
tomas: Found it. It even works on my phone.

{camille|mariana|ola}: Hello everyone, {first week here|still learning all the names}. Where do I find the {key to the linen cupboard|list of extension numbers|form for expenses}?
bea: {Second drawer at the desk|On the board by the lift|Pinned in #front-desk}. And welcome! ~ 👋5
sam: Ask me anything about the bikes.

lukas: Good morning, everyone. From today on I am here on {Mondays and Thursdays|Tuesdays and Fridays}.
ann: Welcome, Lukas! Your room is number {room}.
lukas: Thank you. I am easier to talk to after coffee. ~ ☕4

yuki: Hello, I am Yuki, from radiology. I look forward to working with you.
noor: Welcome, Yuki! Your desk is the one with the plant.
yuki: I have watered it already. Thank you, Noor. ~ 💛3

karim: Hello, everyone. I start on the night team on {day}.
noor: Welcome, Karim. The good biscuits are behind the printer paper.
karim: This is the best onboarding I ever had. ~ 🍪4 😂3

ann: Reminder that {day} is somebody's birthday and that somebody likes lemon cake. ~ 🍋3 🎂5
$$),
('announcements', $$
ann: **Flu clinic** opens on {day}. Please offer it to everyone over 60 who comes to the desk, and to each other. ~ 👍7
> noor: Do we take walk-ins for it?
> ann: Yes, from ten to twelve.

bea: The door code changes on {day} at noon. You get the new one {from me|on paper}, not here. ~ 👍6 🔐2

ann: We finished the quarter with {n}% fewer missed appointments. That is you calling people back. Thank you. ~ 💛8 🎉5 file:chart
> tomas: The Thursday reminders made the difference.
> bea: And Yuki's little script.

bea: Fire drill on {day}, {time}. It is a drill. Please leave your tea where it is. ~ 🔥3 ☕4

ann: Holiday requests for the next quarter by the end of the month, please. Bea sorts them by fairness, not by speed. ~ 👍6
> sam: Fairness or volume?
> bea: Volume is counted against you.

ann: From {day} on, prescriptions go out only after two signatures. <!channel> please read the note in #pharmacy before your next shift. ~ ✅7
$$),
('front-desk', $$
yuki: The card reader at the {left|right} counter {is slow again|says "try later"|needs a restart}.
bea: Hold the green key for ten seconds. {It sulks on {day}s.|It does that after updates.}
yuki: Worked. Thank you. ~ 🙌2

noor: {Mrs K.|Mr D.|The 10:40} {called twice|is asking} about the results. Does anybody know where they are?
tomas: On my desk. I call before {time}.
noor: Good, I'll tell {them|the family}. ~ 👍2

ola: {n} people in the waiting room already, and it is not even half past.
sam: I can take the {blood tests|dressings} in room {room}.
ola: You are a star. ~ ⭐3 💛2

bea: The {courier|lab van} comes at {time} today, not at four. Samples in the box by then, please. ~ 👍4
karim: Noted, I leave the night ones on top.

camille: The gentleman at {time} would rather speak French, I am glad to take him.
noor: Thank you, Camille, room {room} is free.
camille: Perfect. We are back in twenty minutes.

lukas: The printer at the desk {prints stripes again|takes no paper any more}. Who has the number of the service?
bea: It is on the lid. They come {on {day}|tomorrow morning}.
lukas: Then I print upstairs until then. ~ 🖨️2

mariana: The lady from {day} left {a coat|an umbrella|a bag of books} in the waiting room.
tomas: {Blue|Red}? That is Mrs Teresa, I call her.
mariana: It is safe behind the desk.

!sam: Someone left a {green scarf|child's shoe|walking stick} in room {room}.
> ola: In the lost box now.
> yuki: The box is full, by the way. It holds {n} umbrellas and a ukulele.
> sam: The ukulele is mine.

ann: Can whoever is at the desk move my {time} to room {room}? {The light is off in mine.|I need the bigger table.}
yuki: Done, and I told them at the door. ~ 👍3

noor: The patient in room {room} would rather speak Arabic, I stay with her.
karim: Fine, I cover the desk until you are done.
noor: Thank you, Karim. ~ 💛3

ola: Phones are {down|crackling} on line {n}. Mobile works.
bea: Provider says {an hour|until {time}}. I put a note on the door. ~ 📵3
ola: Back. It was {the cable|a mouse, apparently}. ~ 😂4

tomas: Running {n} minutes late, sorry. Please offer people {tea|the later slot}.
yuki: Two took the later slot, one took the tea.
tomas: Ideal. ~ 🫖3

bea: @{noor|sam|ola} could you check whether the {day} letters went out?
> sam: They are in the tray, without stamps.
> bea: Then they did not go out.
> sam: Correct. On my way. ~ 🏃2

camille: Question: do we still give out the {paper|yellow} forms?
ann: Only if someone asks for them. The tablet is quicker for most.
camille: All right, thank you.

sam: The lift is {stuck on one|slow}, please send people to {room 1|the ramp} for now.
lukas: I put up a sign.
sam: Thank you! ~ 🪧2

mariana: We are out of {visitor badges|small envelopes|tissues in the waiting room}.
ola: Ordered {n} boxes, here on {day}.

yuki: Three umbrellas were left at the desk. Please tell me if one is yours.
ola: One is mine! The one with the ducks. ~ 🦆5

!noor: The school group arrives at {time}: {n} children, two teachers, one frog in a jar. ~ 🐸6
tomas: The frog has no appointment.
noor: The frog is very calm about it.

karim: Night to day: {quiet|busy until two, then quiet}. {n} calls, one sent on to hospital, notes are in the folder.
ann: Thank you, Karim. Sleep well. ~ 🌙3

!bea: New poster for the door, thoughts? ~ file:harbour 💛3
> camille: The light is beautiful.
> ann: Lovely. A bit bigger, so that people see it from the bus.
> bea: Bigger it is.

ola: Could someone translate the parking sign into {Polish|Portuguese|German}? I can do Polish.
lukas: I write the German one tonight.
mariana: And I do the Portuguese one. ~ 👏4
$$);
insert into demo_scripts values
('open-day', $$
ann: The open day needs: a tent, a kettle, forty chairs and someone who likes children.
> sam: I like children until about two o'clock.
> mariana: Then I take over at two.
ola: My brother has a tent. It is orange. ~ 🎪4

bea: Chairs come from the school, thirty of them. We stand a little. ~ 👍3
> ola: I bring the garden bench, that makes thirty-three.

sam: Count at the door: {n2}0 people, and one dog who wanted its blood pressure taken. ~ 🐕5
mariana: It was a lovely day. The kettle did not survive.
ann: Thank you, all of you. I close this channel; next year we open it again. ~ 💛4
$$),
('rota', $$
bea: Next week is up. {Two gaps|One gap}: **{day} {morning|afternoon}**. ~ 👀4 💛2 file:rota
> noor: I can do it if someone takes my {time}.
> tomas: I take it.
> bea: Entered. That was quick.

{sam|ola|yuki}: Could anyone swap {day} with me? {Parents' evening|Dentist|My sister arrives}.
noor: If you do my late one on Friday, gladly.
{sam|ola|yuki}: Deal. Thank you! ~ 🤝2
bea: Changed in the sheet. ~ ✅2

camille: I can take {day} morning, but not the afternoon.
bea: Morning helps a lot, thank you.

lukas: I am at a course on {day}. Can anyone take my consultations?
tomas: I can.
lukas: Thank you, I bring cake. ~ 🍰4

karim: I count {n} nights for me this month. Is that right?
> bea: It should be {n}, let me look.
> bea: You are right, one belongs to Ola. Sorry, both of you.
> ola: No problem, I like the quiet.

yuki: Could you take my early shift on {day}?
mariana: Yes!
yuki: Thank you! ~ 💛3

ann: Please look at the bank holiday plan. I would rather know now than on the morning itself. ~ 👍5
sam: Fine for me.
noor: Me too, as long as someone brings the good coffee.

mariana: I can work on {day}, but I leave at {time}.
bea: Perfect, Sam starts then anyway.

bea: <!here> short-notice gap **today from {time}**, two hours, phones only. Anyone?
ola: Me. ~ 💛5
bea: Ola saves the day, again.

tomas: Surgery on {day} starts an hour earlier. Who opens?
yuki: I open.
tomas: Thank you, the usual pastry is on me. ~ 🥐3

sam: My hours look {n} short in the sheet. Is the training day missing?
> bea: It was in the wrong month. Fixed.
$$),
('pharmacy', $$
ola: Delivery at {time}: everything but the {10 ml syringes|nitrile gloves, size M|saline}. They come on {day}.
tomas: We have {n} boxes left, that is enough until then. ~ 👍2

noor: Fridge {room} showed a warning for {n} minutes. Door was not closed properly. ~ file:fridge
> tomas: Inside the limits the whole time, I checked. Nothing to throw away.
> ann: Thank you for looking at once. Let's put a note on the door.
> yuki: Note is up, in four languages. ~ 🙏2

yuki: Expiry check done for shelf {room}. {n} packs are due this month, they are in the front now.
ola: Thank you! ~ ✅3

lukas: The order for {day} is out. Is anything missing?
mariana: Large dressings, please. {n} boxes.
lukas: Added.

karim: Used the last {adrenaline pen|glucose gel} from the night bag. Replaced from the cupboard, the cupboard is now at {n}.
tomas: Thanks, adding to the list.

!tomas: Two signatures from today on, also for repeats. I know it is slower. It caught one on the first day. ~ 👍5 ✅3
> noor: Which one?
> tomas: A dose, not a name. Nobody was near any harm.

camille: The thermometer in the store shows {n} degrees too many, I think it hangs in the wrong place.
ann: Moved it away from the lamp. Thank you, sharp eyes. ~ 👀2

sam: Home-visit bags are packed, all {n}. Dressings are the new kind, they open from the **other** side.
ola: I fought one for two minutes yesterday. ~ 😂4

noor: Does anyone know why we get {n} invoices from the same supplier?
bea: Three addresses in their system. I called, they promise one from next month.
noor: They promised that in spring. ~ 🙃3

!ann: The stock count as a query, for whoever does it next:
```
select item, sum(packs) as left
from   shelf
group by item
having sum(packs) < 5;
```
~ 🙏2
lukas: Very nice. Saves me half an hour.

mariana: The label printer has run out of labels. Does anyone know where the new rolls are?
yuki: Top shelf, behind the masks.
mariana: Found them! ~ 🙌2
$$),
('night-team', $$
karim: Hand-over: {n} waiting calls, nothing urgent. The {side door|heating in the corridor} {sticks|hums} again.
noor: Thanks. Taking over. ~ 👍2
bea: I'll tell Gus about it.

noor: Quiet so far. {n} calls, all of them about {opening hours|a fever that went down by itself}. ~ 🌙2

ola: Who has the {second|red} phone? It rings somewhere and I cannot find it.
karim: Under the blankets in room {room}.
ola: Of course it is. ~ 😂4

yuki: The hand-over of the night is in the notebook.
karim: Read it, clear. Sleep well! ~ 💛3

karim: Good morning. A quiet night, only {n} calls.
noor: Good to hear. Sleep well.

!sam: If you hear drumming: it is the rain on the new roof. I went up to look.
> ann: At three in the morning?
> sam: With a helmet.
> ann: Thank you, and please never again.

noor: One patient sent on to hospital at {time}, family informed, letter is in the folder. The rest can wait for the day.
tomas: Good call. I phone the ward.
noor: They are well looked after, I just heard. ~ 🙏4

bea: The alarm test is on {day} night, between two and three. It is loud. ~ 🔔3
karim: The whole street will love us.

ola: Coffee machine says "descale". At four. It chooses its moments.
yuki: There is a kettle in the lab. I did not say that. ~ ☕4

karim: Two new batteries for the night bag, please, and {n} torches that work.
bea: Ordered. Here on {day}.

!noor: Fox in the yard again. It looked at me as if I were late. ~ 🦊6
karim: You were late.
$$),
('building-works', $$
gus: Room {room}: second coat goes on {day}, smells until the evening. Windows open, please. ~ 👍3
sam: I move the dressings to the room next door.

lukas: The window in room {room} {sticks|does not close properly}.
gus: Seen it, the hinge is bent. Part comes on {day}.
lukas: Thank you.

!gus: Drawing for the new reception, version {n}. The ramp is wider now. ~ file:plan 👀3
> ann: Does the pram corner survive?
> gus: It moved to the window side.
> bea: Better there anyway.

bea: The lift people come between {time} and "later". ~ 🙃3
gus: I let them in.
gus: They were here. It was the door sensor, cleaned and tested {n} times.

!ann: What does the roof cost us if we wait until spring?
gus: About {n} buckets a week. I would not wait.
ann: Then we do not wait. ~ 👍3

sam: Dust sheet in the hall is a tripping hazard, I taped it down.
gus: Thank you, and sorry. New ones tomorrow, heavy ones.

!gus: Heating in room 3 is back. It was air in the pipe, as always. ~ 🔥4
bea: *Finally.* ~ 🎉2

lukas: Can we move the socket beside the desk? {n} cables across the floor are too many for me.
gus: Yes. {day}, before you open.
$$),
('kitchen', $$
mariana: I brought {orange|carrot|walnut} cake. It is beside the coffee machine. ~ 🍰6 💛3
noor: There was cake.
mariana: Already?! ~ 😂5

!ola: Whose blue cup is this, and since when does it live in the freezer?
sam: Since {day}. It is an experiment. ~ 🧊4
ola: It is a cup.

tomas: Ordering lunch at {time}. {Soup|Curry|Sandwiches}, who is in?
> yuki: Me!
> karim: Me, no onions.
> camille: Me too.
> tomas: {n} portions then.

camille: There is {cheese|bread} left from yesterday, help yourselves.
lukas: Not any more. ~ 🙈3

noor: Who would like coffee? I am at the machine.
karim: Me, please, without sugar.
bea: I read "coffee". Me too. ~ ☕5

!yuki: I brought sweets from home, they are on top of the fridge. Please take some!
ann: They are wonderful. What are they called?
yuki: Hato sabure. Little doves. ~ 🕊️5

bea: The dishwasher is not a cupboard. With love. ~ 😇4
sam: Understood, with love.

lukas: I cook for everyone on {day}: {lentils|pumpkin soup|potato salad}. Please tell me if you are in.
ann: In.
mariana: Me too!
ola: Me, with two spoons. ~ 🥄3

!ann: The orchid from the desk is blooming again. ~ file:orchid 🌸6
> ola: I talk to it.
> karim: At night it answers.

!sam: Who took the {good|big} knife?
gus: Opened a paint tin with it. Buying a new one today.
sam: Gus. ~ 😂6
$$);
insert into demo_scripts values
('partners', $$
ann: Numbers for the month are in the folder. Rent is fine, salaries are fine, the roof is the roof.
tomas: Can we keep the third day of physio?
ann: If the {day}s stay as full as they are, yes. ~ 👍3

!lukas: The bank has answered. {n} percent, ten years. I can bring the papers on {day}.
bea: Better than I feared. ~ 🙂2
ann: Bring them, and cake.

!bea: Two good applications for the desk. One could start in {n} weeks.
> ann: The one with the Red Cross year?
> bea: That one. I would like us to see her together.
> tomas: {day} after surgery works.

tomas: Should we talk about the evening hours? People ask for them every week.
ann: Let's try one evening for two months, and count.
lukas: Agreed. ~ 👍2

ann: The insurer wants the fire papers by {day}. Who has the last protocol?
bea: Second shelf, green folder. I scan it today.
ann: Thank you.

!lukas: We should write down what happens when one of us is away for longer. Not because of anyone. Because it is sane.
> ann: Yes. First draft from me by {day}.
> tomas: I read it on the train.
$$),
('ann bea', $$
ann: Have you got ten minutes before {time}?
bea: Yes, in the small office. Bring the {folder|tea}.
ann: Both. ~ 👍1

bea: {Sam|Ola|Yuki} did {very well|a calm job} with the difficult call today. Just so that you know.
ann: I heard. I'll say it to them myself. ~ 💛1

bea: The sheet for {day} does not add up, I am {n} hours short somewhere.
ann: Training day?
bea: Training day. Thank you. ~ 🙈1

ann: Could you write to the landlord about the {lift|gutters}? He answers you faster.
bea: He is afraid of me.
ann: That is what I mean. ~ 😄1

bea: Home now. You should be too.
ann: {n} more letters.
bea: Ann.
ann: Two more letters. ~ 💛1

ann: Lunch on {day}? Not here. Somewhere with chairs.
bea: Gladly. I book the place by the water.
$$),
('ann noor', $$
!noor: Could I have {day} off? My mother {arrives|has her appointment}.
ann: Of course. Bea will find someone, give her a sign.
noor: Thank you, Ann. ~ 💛1

!ann: Thank you for staying with the family yesterday.
noor: You are welcome. They sent a message, they are all right.
ann: That is good to hear. ~ 🙏1

noor: Are you free for the {time}? He asks for you.
ann: Tell him I come as soon as I am done in room {room}.
$$),
('ann tomas', $$
tomas: I would like your eyes on an ECG. Room {room}, when you have a moment.
ann: Five minutes.
tomas: Thank you. ~ 👍1

ann: Could you take the student on {day}? I am at the council.
tomas: With pleasure. She asks good questions.

tomas: Signed all {n}. You can close the drawer.
ann: The drawer thanks you.
$$),
('bea noor', $$
bea: Is {day} still all right for you, late shift?
noor: Yes, if I can leave at {time} sharp.
bea: Sharp it is. ~ 👍1

!noor: Your plant needs water. I gave it some, and a talk.
bea: What did you say?
noor: That it should aim higher. ~ 😂1

noor: Can you send me the form for the course again?
bea: In your tray, with a sticker so that it survives this time.
$$),
('ann yuki sam ola', $$
sam: {day}, {time}, the place by the bridge. Table is under "Whitfield".
yuki: I look forward to it! ~ 🎉2
ola: I come a bit later, start without me.
ann: Never without you.

yuki: I have {n} tickets for the concert on {day}. Who comes?
ola: Me!
ann: If I get out in time, gladly.
sam: I have the children, next time. ~ 😢1

ola: Who has my books? No hurry, only curious.
ann: One is with me. Half read, well loved.
$$);

insert into demo_scripts values
('front-desk', $$
{who}: {name} {cancelled|moved} the {time}. The slot is free{| until noon| if anyone needs it}.
{who2}: {Taken, thank you.|I give it to {name2}.|Good, I needed a breath.}

{who}: {name} is here for {Tomás|Ann|Lukas}, {n} minutes early.
{who2}: {Tell them I come down.|Room {room}, please.|Perfect, we can start.}

{who}: Please call {name} back about the {referral|prescription|invoice|appointment on {day}}. {Number is in the book.|They are home after {time}.}
{who2}: {Done.|Called, all settled.|No answer, I try again at {time}.}

{who}: Who ordered {supply}? There is a box of {n} at the desk.
{who2}: {Me!|For room {room}, I fetch it.|Not me, but I could use one.}

{who}: Waiting room: {n}. Longest wait: {n2} minutes.
{who2}: {Thank you, I speed up.|Fine for a {day}.|I take the next two.}
{who}: 👍

{who}: {name} left {a thank-you card|flowers|apples from the garden} for all of us. ~ 💛{n}
{who2}: {How kind.|On the kitchen table now.|I write back.}

{who}: The {name2} file was under {the wrong letter|the keyboard|my own nose}. Found.
{who2}: {It always is.|Thank you!|That explains a lot.}

{who}: {It's raining in at the door|The mat slides|The bell is stuck}, {I put a bucket there|I taped it|I look at it after {time}}.
{who2}: {Thank you.|Gus is in on {day}.|Noted in the book.}
$$),
('rota', $$
{who}: Can I start {n}0 minutes later on {day}? {School run.|Train.|I open the week after in return.}
{who2}: {I cover.|Fine with me.|Yes, of course.}

{who}: {day} looks {full|thin|good} to me. {Is that meant?|Shall I come in?}
bea: {It is meant.|One more pair of hands would help.|I look at it tonight.}

{who}: Swap done: I have {day}, {who2} has the {early|late} one.
bea: {Entered.|Thank you both.|In the sheet.}
$$),
('pharmacy', $$
{who}: {supply}: {n} left{| on the shelf| in the cupboard}. {Ordering.|Is that enough for the week?}
{who2}: {Enough until {day}.|Please order, yes.|Double it, flu season.}

{who}: {name}'s {prescription|repeat} is ready, {signed twice|needs the second signature}.
tomas: {Signed.|I come by at {time}.|Thank you.}

{who}: Fridge at {time}: {3.8|4.1|4.4|4.6} degrees. ✅
$$),
('night-team', $$
karim: {time}: {name} called, {advice given|appointment for {day}|worried, now calmer}.
{who}: {Noted for the day.|Thank you.|I call them in the morning.}

{who}: {n} in the folder, {n2} can wait, none urgent.
karim: {Good night, then.|Taking over.|Sleep well.}
$$),
('building-works', $$
gus: {day}, {time}: {plaster|floor|cables|paint} in room {room}. {Half a day.|Noisy until noon.|I knock before I start.}
{who}: {Fine.|I move the patients to room {n}.|Thank you for the warning.}
$$),
('kitchen', $$
{who}: {Soup|Curry|Pierogi|Salad|Rice} at {time}, {n} portions, first come.
{who2}: {Coming.|Keep me one.|Already there.}

{who}: Milk is {out|in|questionable}.
{who2}: {I bring some on the way.|Thank you, brave one.|There is oat milk behind it.}
$$);

-- What stands at the end of a channel, so that the demo opens on something. `-40` minutes ago.
create temp table demo_endings (channel text, minutes_ago integer, content text);
insert into demo_endings values
('rota', 62, $$
bea: Here is next week. Two gaps: **Wednesday afternoon** and **Saturday**. ~ 👀5 💛2 file:rota pin
> ann: Is Saturday the short day?
> bea: Yes, 9 to 13. Phones only, no walk-ins. ~ 👍2
> noor: Then Ann and I could swap. I'll ask in the channel so that everyone sees it.
> yuki: I like how calm this is compared to last year's spreadsheet.
ann: I can take Saturday if someone swaps my Thursday morning. The script for counting shifts, for whoever does this next time:
```
select person, count(*) filter (where late) as nights
from   shifts group by person order by nights;
```
noor: @ann deal: I do your Thursday, you do Saturday. @bea fine with you? ~ 🤝1
noor: Also the heating in room 3 is back. *Finally.*
yuki: I can do Wednesday afternoon.
$$),
('front-desk', 50, $$
ola: Full house this morning, {n} people before nine. Please smile at the one with the accordion. ~ 🪗5
sam: Room 1 is free again.
camille: The lady of ten o'clock came early, I offered her a tea.
yuki: The new posters are up. They look good from the bus. ~ 💛4
> bea: I took the bus to check. They do.
mariana: Mr Almeida asks for a call after two.
tomas: I'll call him.
lukas: The van of the laboratory is here already, please bring the samples down.
ola: On my way with the box.
sam: Thank you, Ola.
$$),
('night-team', 95, $$
karim: Hand-over: three waiting calls, nothing urgent. The side door sticks again.
noor: @ann the side door needs more than oil by now. Could you ask Gus for a date?
karim: @ann and, if you have a moment, the night bag list needs your signature. It is on your desk. ~ 🙏1 file:bag
yuki: Well done. Have a good rest. ~ 💛2
$$),
('kitchen', 30, $$
mariana: There is orange cake. I made two this time. ~ 🍰7
noor: One and a half.
karim: One and a half? I thought it was one.
$$),
('building-works', 140, $$
gus: Lift is certified until next autumn. Paper is at the desk. ~ 🎉3 file:lift
sam: No more stairs with the heavy bag. Thank you, Gus.
gus: @bea could you open room 3 for the painter tomorrow at seven?
$$),
('partners', 180, $$
lukas: The papers of the bank are back, signed. ~ 🎉3
bea: Then the roof can begin on the first. I tell Gus.
$$),
('announcements', 1500, $$
ann: Thank you for last week, all of you. It was the fullest we ever had, and nobody waited longer than twenty minutes. ~ 💛9 🎉6 👏4
$$),
('ann noor', 12, $$
noor: Have you seen my question in #rota? No hurry, I only need to know before noon.
$$),
('ann bea', 25, $$
ann: The chairs for the waiting room arrive on Tuesday. All nineteen of them.
bea: Nineteen?
ann: One is for the orchid. ~ 😄1
$$);

-- From words to messages --------------------------------------------------------------------------------

create function pg_temp.demo_pick(of text, count integer) returns integer language sql immutable
as $$ select 1 + ('x' || substr(md5(of), 1, 7))::bit(28)::integer % count $$;

create function pg_temp.demo_fill(content text, salt text, people text[]) returns text language plpgsql immutable as $$
declare
  slot text;
  chosen text;
  options text[];
begin
  loop
    slot := substring(content from '\{([^{}]*)\}');
    if slot is null then return content; end if;
    options := case slot
      when 'day' then '{Monday,Tuesday,Wednesday,Thursday,Friday}'
      when 'time' then '{08:20,09:10,10:40,11:15,12:30,14:05,15:20,16:45}'
      when 'room' then '{1,2,4,5,6}'
      when 'n' then '{2,3,4,5,6,7,8,9}'
      when 'n2' then '{11,12,14,15,17,18,21}'
      when 'name' then '{Mrs Abel,Mr Brook,Mrs Castro,Mr Dimitriou,Ms Eide,Mr Farouk,Mrs Grant,Mr Huang,Ms Ito,Mr Jansen}'
      when 'name2' then '{Mrs Kowal,Mr Lopes,Mrs Meyer,Mr Nasser,Ms Olsen,Mr Petit,Mrs Quinn,Mr Rossi,Ms Sato,Mr Turner}'
      when 'supply' then '{plasters,gauze,tape,paper rolls,test strips,masks,gel packs,label rolls,aprons}'
      when 'who' then people
      when 'who2' then array_remove(people, pg_temp.demo_fill('{who}', salt, people))
      else string_to_array(slot, '|')
    end;
    chosen := options[pg_temp.demo_pick(salt || slot, cardinality(options))];
    content := replace(content, '{' || slot || '}', chosen);
  end loop;
end
$$;

-- Each conversation as often as its channel's goal needs, every round in another order, over the days of work.
create temp table demo_talks as
with written as materialized (
  select s.channel, s.channel || ' ' || md5(talk) as talk_key, btrim(talk, E'\n') as talk,
    written, case when talk like E'\n!%' or talk like '!%' then 0.2 else 1 end
      * (select count(*) from regexp_matches(talk, '(?:^|\n)!?(?:>>? )?(?:[a-z0-9]+|\{[a-z0-9|]+\}): ', 'g')) as lines
  from demo_scripts s, regexp_split_to_table(s.content, '\n\n+') with ordinality t (talk, written)
), rounds as materialized (
  select w.*, c.opens, c.lasts, c.people, case when c.goal is null then 1
    else ceil(c.goal / sum(w.lines) over (partition by w.channel))::integer end as rounds, c.goal
  from written w join demo_channels c on c.nick = w.channel
), dealt as materialized (
  select r.*, round.round, row_number() over (
      partition by r.channel order by round.round, case when r.goal is not null
        then pg_temp.demo_pick(r.talk_key || round.round, 9999) end, r.written
    ) - 1 as place, count(*) over (partition by r.channel) as places
  from rounds r, generate_series(1, r.rounds) round (round)
  where r.talk not like '!%' or round.round = pg_temp.demo_pick(r.talk_key, r.rounds)
), days as (
  select day, row_number() over (order by day) - 1 as place, count(*) over () as places
  from generate_series(current_date - 60, current_date - 1, interval '1 day') day where extract(isodow from day) < 7
), timed as (
  select d.*, (d.place + pg_temp.demo_pick(talk_key || round || 'at', 60) / 100.0) / d.places
    * (select max(days.places) from days) as moment
  from dealt d
)
select t.channel, t.talk_key || t.round as salt, ltrim(t.talk, '!') as talk, t.people,
  days.day + make_interval(mins => ((t.opens + (t.moment - floor(t.moment)) * t.lasts) * 60)::integer) as starts
from timed t join days on days.place = floor(t.moment)
union all
select e.channel, 'ending ' || e.channel, btrim(e.content, E'\n'), c.people, now() - make_interval(mins => e.minutes_ago)
from demo_endings e join demo_channels c on c.nick = e.channel;

create temp table demo_messages as
with lines as materialized (
  select t.channel, t.salt, t.starts, line.place, pg_temp.demo_fill(line.content, t.salt, t.people) as content
  from demo_talks t,
    regexp_split_to_table(t.talk, '\n(?=(?:>>? )?(?:[a-z0-9]+|\{[a-z0-9|]+\}): )') with ordinality line (content, place)
), parsed as (
  select l.*, part[1] as answers, part[2] as author, rtrim(split_part(part[3], ' ~ ', 1), E' \n') as body,
    trim(split_part(replace(part[3], E'\n~ ', E' ~ '), ' ~ ', 2)) as extras,
    l.starts + sum(make_interval(secs => case when l.place = 1 then 0
      else 15 + pg_temp.demo_pick(l.salt || l.place, 200) end)) over (partition by l.salt order by l.place) as at
  from lines l, regexp_match(l.content, '^(>>? )?([a-z0-9]+): (.*)$') part
)
select pg_temp.demo_id(p.salt || p.place) as id, pg_temp.demo_id('#' || p.channel) as channel_id,
  pg_temp.demo_id(p.author) as author_id, p.salt, p.place, p.at, p.extras,
  case when p.answers is not null then pg_temp.demo_id(p.salt || max(p.place) filter (where p.answers is null)
    over (partition by p.salt order by p.place)) end as thread_root,
  coalesce(p.answers = '>> ', true) as in_channel,
  (select string_agg(case when mark.word ~ '^@[a-z]+$' and exists (
      select from demo_people d where '@' || d.nick = mark.word)
      then '<@' || pg_temp.demo_id(substr(mark.word, 2)) || '>' else mark.word end, '' order by mark.place)
    from (
      select m[1] as word, place from regexp_matches(regexp_replace(p.body, E'\n~ .*$', ''), '(@[a-z]+|[^@]+|@)', 'g')
        with ordinality found (m, place)
    ) mark) as body
from parsed p
-- Night shifts run into today; messages in the future are left out.
where p.at < now() - interval '4 hours' or p.salt like 'ending %';

-- Numbers -----------------------------------------------------------------------------------------------

create temp table demo_posted as
select id, channel_id, author_id, 'text' as kind, null::jsonb as system, body, at, thread_root, in_channel, extras
from demo_messages
union all
select pg_temp.demo_id(c.nick || ' note ' || p), pg_temp.demo_id('#' || c.nick), pg_temp.demo_id(p), 'system',
  jsonb_build_object('event', case p when 'ann' then 'created' else 'joined' end), '',
  now() - interval '62 days' + make_interval(mins => case p when 'ann' then 0
    else 20 + pg_temp.demo_pick(c.nick || p, 300) end), null, true, ''
from demo_channels c, unnest(c.people) p where c.name is not null
union all
select pg_temp.demo_id('closed ' || c.id), c.id, pg_temp.demo_id('ann'), 'system', '{"event": "archived"}', '',
  c.archived_at, null, true, ''
from public.channels c where c.archived_at is not null;

create temp table demo_numbered as
select s.*,
  case when in_channel then row_number() over (partition by channel_id, in_channel order by at, id) end as seq,
  case when thread_root is not null then row_number() over (partition by thread_root order by at, id) end as thread_seq
from demo_posted s;
create index on demo_numbered (id);
create index on demo_numbered (thread_root);
analyze demo_numbered;

create temp table demo_extras as
select n.id, n.channel_id, n.author_id, n.at, extra, place
from demo_numbered n, regexp_split_to_table(n.extras, ' +') with ordinality e (extra, place) where n.extras <> '';

create temp table demo_reactions as
select e.id, e.channel_id, regexp_replace(e.extra, '[0-9]+$', '') as emoji, fan.profile_id,
  least(e.at + make_interval(secs => 40 * e.place + 25 * fan.rank), now() - interval '1 minute') as at
from demo_extras e, lateral (
  select m.profile_id, row_number() over (order by md5(e.id::text || e.place || m.profile_id)) as rank
  from public.channel_members m where m.channel_id = e.channel_id and m.profile_id <> e.author_id
) fan
where e.extra ~ '[0-9]+$' and e.extra !~ '^[a-z]' and fan.rank <= substring(e.extra from '[0-9]+$')::integer;

-- Everything that happened in a channel, in order: its place is its rev.
create temp table demo_revs as
select *, row_number() over (partition by channel_id order by at, step, id, message_id) as rev
from (
  select channel_id, at, 1 as step, id, id as message_id from demo_numbered
  union all select channel_id, at, 2, id, thread_root from demo_numbered where thread_root is not null
  union all select channel_id, at, 3, id, null from demo_numbered where kind = 'system'
  union all select channel_id, at, 4, profile_id, id from demo_reactions
  union all select channel_id, at + interval '5 minutes', 5, id, id from demo_extras where extra = 'pin'
) happened;

insert into public.messages (id, channel_id, kind, seq, thread_root, thread_seq, last_thread_seq, reply_count,
  reply_people, last_reply_at, history_seq, rev, author_id, body, system, created_at)
select n.id, n.channel_id, n.kind, n.seq, n.thread_root, n.thread_seq, coalesce(r.count, 0), coalesce(r.count, 0),
  coalesce(r.people, '{}'), r.last_at, coalesce(n.seq, root.seq), v.rev, n.author_id, n.body, n.system, n.at
from demo_numbered n
left join demo_numbered root on root.id = n.thread_root
left join (
  select thread_root, sum(count) as count, max(last_at) as last_at,
    (array_agg(author_id order by last_at desc))[1:3] as people
  from (
    select thread_root, author_id, count(*) as count, max(at) as last_at from demo_numbered
    where thread_root is not null group by thread_root, author_id
  ) by_author group by thread_root
) r on r.thread_root = n.id
join (select message_id, max(rev) as rev from demo_revs group by message_id) v on v.message_id = n.id
order by n.at;

insert into public.message_changes (message_id, channel_id, rev, history_seq)
select id, channel_id, rev, history_seq from public.messages;

insert into public.channel_counters (channel_id, last_seq, rev, meta_rev, epoch, last_at)
select n.channel_id, max(n.seq), v.rev, coalesce(v.meta_rev, 0), 1, max(n.at)
from demo_numbered n
join (
  select channel_id, max(rev) as rev, max(rev) filter (where message_id is null) as meta_rev
  from demo_revs group by channel_id
) v on v.channel_id = n.channel_id
group by n.channel_id, v.rev, v.meta_rev;

-- What hangs on them ------------------------------------------------------------------------------------

insert into public.reactions (message_id, emoji, profile_id, created_at, message_author_id)
select r.id, r.emoji, r.profile_id, r.at, m.author_id
from demo_reactions r join public.messages m on m.id = r.id order by r.at;
insert into public.pins (message_id, channel_id, pinned_by, pinned_at)
select id, channel_id, author_id, at + interval '5 minutes' from demo_extras where extra = 'pin';
insert into public.mentions (message_id, channel_id, kind, profile_id, author_id, seq, thread_root, thread_seq, created_at)
select m.id, m.channel_id, 'person', c.profile_id, m.author_id, m.seq, m.thread_root, m.thread_seq, m.created_at
from public.messages m, unnest(app.mentioned_profile_ids(m.body)) called (id)
join public.channel_members c on c.profile_id = called.id
where c.channel_id = m.channel_id and called.id <> m.author_id
union all
select m.id, m.channel_id, mark[1], null, m.author_id, m.seq, m.thread_root, m.thread_seq, m.created_at
from public.messages m, regexp_matches(m.body, '<!(channel|here)>', 'g') mark;
insert into public.attachments (message_id, upload_id, upload_channel_id, position, name, type, size, width, height)
select e.id, pg_temp.demo_id('file ' || f.file), e.channel_id, 0, f.name, f.type, f.size, f.width, f.height
from demo_extras e
join (values
  ('rota', 'rota-next-week.png', 'image/png', 4347, 840, 500),
  ('chart', 'walk-ins.png', 'image/png', 3286, 760, 470),
  ('harbour', 'poster-harbour.png', 'image/png', 8100, 960, 600),
  ('plan', 'reception-plan.png', 'image/png', 4199, 800, 520),
  ('fridge', 'fridge-24h.png', 'image/png', 3916, 740, 290),
  ('orchid', 'orchid.png', 'image/png', 35583, 600, 720),
  ('lift', 'lift-certificate.pdf', 'application/pdf', 907, null, null),
  ('bag', 'night-bag.txt', 'text/plain', 273, null, null)
) f (file, name, type, size, width, height) on e.extra = 'file:' || f.file;
-- After what their marks depend on. A new message has neither reactions nor pins, so its trigger marks none.
insert into public.message_search (message_id, channel_id, history_seq, created_at, words)
select m.id, m.channel_id, m.history_seq, m.created_at, app.index_text(m.body) || array_to_tsvector(app.message_properties(m))
from public.messages m where m.kind = 'text';
-- Who follows which thread: the people who began it, replied in it or were mentioned there. Ann and Bea have not read the last
-- answer of a few, the others of some.
insert into public.thread_members (root_id, profile_id, last_read_thread_seq, read_version, marked_at)
select f.root_id, f.profile_id, f.last_thread_seq - unread.is_so::integer, 1, f.last_reply_at
from (
  select root.id as root_id, place.profile_id, root.last_thread_seq, root.last_reply_at,
    last.author_id <> place.profile_id as waits,
    row_number() over (
      partition by place.profile_id, last.author_id <> place.profile_id order by root.last_reply_at desc, root.id
    ) as nth
  from public.messages root
  join public.messages last on last.channel_id = root.channel_id and last.thread_root = root.id
    and last.thread_seq = root.last_thread_seq
  cross join lateral (
    select root.author_id as profile_id
    union select r.author_id from public.messages r where r.channel_id = root.channel_id and r.thread_root = root.id
    union select n.profile_id from public.mentions n where n.thread_root = root.id and n.profile_id is not null
  ) place
) f
cross join lateral (select f.waits and f.nth <= case f.profile_id
  when pg_temp.demo_id('ann') then 3 when pg_temp.demo_id('bea') then 2
  else pg_temp.demo_pick(f.profile_id::text, 4) end as is_so) unread;

-- How far each has read: most of them to the end, Ann and Bea with something left.
create temp table demo_unread (nick text, channel text, count integer);
insert into demo_unread values
  ('ann', 'front-desk', 9), ('ann', 'rota', 3), ('ann', 'night-team', 3), ('ann', 'kitchen', 2),
  ('ann', 'ann noor', 1), ('bea', 'rota', 3), ('bea', 'building-works', 2), ('bea', 'kitchen', 3),
  ('bea', 'ann bea', 1), ('bea', 'front-desk', 4);
insert into public.channel_member_state (channel_id, profile_id, last_read_seq, read_version, notify, starred)
select m.channel_id, m.profile_id,
  coalesce((
    select theirs.seq from public.messages theirs
    where theirs.channel_id = m.channel_id and theirs.seq is not null and theirs.kind = 'text'
      and theirs.author_id <> m.profile_id
    order by theirs.seq desc
    offset coalesce(u.count, pg_temp.demo_pick(m.profile_id::text || m.channel_id, 12)) limit 1
  ), 0),
  1, case when c.name is null then 'all' else 'default' end, d.nick in ('ann', 'bea') and c.name is not distinct from 'rota'
from public.channel_members m
join public.channels c on c.id = m.channel_id
join demo_people d on pg_temp.demo_id(d.nick) = m.profile_id
left join demo_unread u on u.nick = d.nick and pg_temp.demo_id('#' || u.channel) = m.channel_id;
update public.channel_member_state s set last_read_seq = k.last_seq
from public.channel_counters k
where k.channel_id = s.channel_id and s.profile_id in (pg_temp.demo_id('ann'), pg_temp.demo_id('bea'))
  and not exists (
    select from demo_unread u
    where pg_temp.demo_id(u.nick) = s.profile_id and pg_temp.demo_id('#' || u.channel) = s.channel_id);

-- How Ann and Bea sort what they read.
insert into public.sections (id, workspace_id, profile_id, name, position, collapsed)
select pg_temp.demo_id('section ' || mine.nick || mine.name), pg_temp.demo_id('workspace'), pg_temp.demo_id(mine.nick),
  mine.name, mine.position, mine.collapsed
from (values
  ('ann', 'Patients', 1, false), ('ann', 'The house', 2, false), ('bea', 'Every day', 1, false), ('bea', 'Later', 2, true)
) mine (nick, name, position, collapsed);
update public.channel_member_state s
set section_id = pg_temp.demo_id('section ' || mine.nick || mine.section), position = mine.position
from (values
  ('ann', 'Patients', 'front-desk', 1), ('ann', 'Patients', 'pharmacy', 2), ('ann', 'Patients', 'night-team', 3),
  ('ann', 'The house', 'building-works', 1), ('bea', 'Every day', 'front-desk', 1), ('bea', 'Every day', 'pharmacy', 2),
  ('bea', 'Later', 'open-day', 1)
) mine (nick, section, channel, position)
where s.profile_id = pg_temp.demo_id(mine.nick) and s.channel_id = pg_temp.demo_id('#' || mine.channel);
update public.channel_member_state s set muted = true
where (s.profile_id, s.channel_id) in (
  (pg_temp.demo_id('ann'), pg_temp.demo_id('#welcome')), (pg_temp.demo_id('bea'), pg_temp.demo_id('#welcome')));

set constraints all immediate;
alter table public.profiles enable trigger user;
alter table public.workspace_members enable trigger user;
alter table public.channel_members enable trigger user;
alter table public.channel_counters enable trigger user;
alter table public.channel_member_state enable trigger user;
alter table public.messages enable trigger user;
alter table public.mentions enable trigger user;
alter table public.thread_members enable trigger user;
alter table public.sections enable trigger user;
