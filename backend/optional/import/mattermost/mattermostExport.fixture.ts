import type { FixtureFiles } from '../exportFiles.fixture.ts'

/** The lines of an export; texts are lines as they are. */
export const linesOf = (...lines: readonly (object | string)[]): string =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')

const typed = (type: string, fields: object): object => ({ type, [type]: fields })

export const version = { type: 'version', version: 1, info: { generator: 'mattermost-server' } }
export const team = (name: string, more: object = {}): object =>
  typed('team', { name, display_name: name.toUpperCase(), type: 'O', allow_open_invite: false, ...more })
export const channel = (name: string, more: object = {}): object =>
  typed('channel', { team: 'main', name, display_name: name, type: 'O', header: '', purpose: '', ...more })
/** A user in these channels of the team. */
export const user = (
  username: string,
  channels: readonly string[] = ['general'],
  more: object = {},
): object =>
  typed('user', {
    username,
    email: `${username}@example.org`,
    nickname: '',
    first_name: '',
    last_name: '',
    position: '',
    roles: 'system_user',
    teams: [
      {
        name: 'main',
        roles: 'team_user',
        channels: channels.map((name) => ({ name, roles: 'channel_user' })),
      },
    ],
    ...more,
  })
export const entry = typed
/** A post of Ann in a channel. */
export const post = (createAt: number, message: string, more: object = {}): object =>
  typed('post', { team: 'main', channel: 'general', user: 'ann', message, create_at: createAt, ...more })
export const directPost = (
  members: readonly string[],
  createAt: number,
  message: string,
  more: object = {},
): object =>
  typed('direct_post', { channel_members: members, user: members[0], message, create_at: createAt, ...more })

/** An export with these lines after its lists, of Ann and Ben in one channel. */
export const exportOf = (lines: readonly (object | string)[], more: FixtureFiles = {}): FixtureFiles => ({
  'import.jsonl': linesOf(
    version,
    team('main'),
    channel('general'),
    user('ann', ['general'], { nickname: 'Ann', position: 'Nurse' }),
    user('ben', ['general'], { first_name: 'Ben', last_name: 'Smith', delete_at: 5 }),
    ...lines,
  ),
  ...more,
})
