import type { FixtureFiles } from '../exportFiles.fixture.ts'

export const user = (id: string, name: string, more: object = {}, profile: object = {}): object => ({
  id,
  team_id: 'T1',
  name: name.toLowerCase(),
  ...more,
  profile: { real_name: name, display_name: name, ...profile },
})

export const channel = (id: string, name: string, more: object = {}): object => ({
  id,
  name,
  created: 1_600_000_000,
  creator: 'U1',
  is_archived: false,
  members: ['U1', 'U2'],
  topic: { value: '' },
  purpose: { value: '' },
  ...more,
})

export const message = (ts: string, text: string, more: object = {}): object => ({
  type: 'message',
  user: 'U1',
  text,
  ts,
  ...more,
})

/** An export with these messages in one channel, of Ann and Ben. */
export const exportOf = (messages: readonly object[], more: FixtureFiles = {}): FixtureFiles => ({
  'users.json': [
    user('U1', 'Ann', {}, { email: 'Ann@example.org', title: 'Nurse' }),
    user('U2', 'Ben', { deleted: true }),
    user('USLACKBOT', 'Slackbot'),
  ],
  'channels.json': [channel('C1', 'general')],
  'general/2023-11-14.json': messages,
  ...more,
})
