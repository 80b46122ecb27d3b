import type { FixtureFiles } from '../exportFiles.fixture.ts'

/** The id that Discord gives at a time in milliseconds since 1970. */
export function snowflake(time: number, count = 0): string {
  return String(((BigInt(time) - 1_420_070_400_000n) << 22n) + BigInt(count))
}

/** The time of the messages: 14 November 2023. */
export const start = 1_700_000_000_000

export const ann = {
  id: '101',
  name: 'ann',
  discriminator: '0000',
  nickname: 'Ann Lee',
  color: null,
  isBot: false,
  roles: [{ id: '301', name: 'Nurse', color: null, position: 1 }],
  avatarUrl: 'https://cdn.discordapp.com/avatars/101/a.png',
}
export const ben = { ...ann, id: '102', name: 'ben', nickname: 'Ben', roles: [] }
export const bot = {
  ...ann,
  id: '103',
  name: 'Deploy',
  nickname: 'Deploy',
  discriminator: '1234',
  isBot: true,
  roles: [],
}
export const webhook = { ...bot, id: '104', name: 'News', nickname: 'News', discriminator: '0000' }

/** A message that is written some seconds after the start. */
export const message = (seconds: number, content: string, more: object = {}): Record<string, unknown> => ({
  id: snowflake(start + seconds * 1_000),
  type: 'Default',
  timestamp: new Date(start + seconds * 1_000).toISOString().replace('Z', '+00:00'),
  timestampEdited: null,
  callEndedTimestamp: null,
  isPinned: false,
  content,
  author: ann,
  attachments: [],
  embeds: [],
  stickers: [],
  reactions: [],
  mentions: [],
  inlineEmojis: [],
  ...more,
})

/** The content of the file of a channel. */
export const channelFile = (
  channel: Record<string, unknown>,
  messages: readonly unknown[],
  more: object = {},
): object => ({
  guild: { id: '1', name: 'Acme', iconUrl: '' },
  channel: {
    id: '201',
    type: 'GuildTextChat',
    categoryId: '200',
    category: 'Wards',
    name: 'general',
    topic: null,
    ...channel,
  },
  dateRange: { after: null, before: null },
  exportedAt: '2024-01-01T00:00:00+00:00',
  messages,
  messageCount: messages.length,
  ...more,
})

/** An export with these messages in one channel. */
export const exportOf = (messages: readonly unknown[], more: FixtureFiles = {}): FixtureFiles => ({
  'Acme - Wards - general [201].json': channelFile({}, messages),
  ...more,
})
