import { expect, it } from 'vitest'
import { loadConfig } from '../config/loadConfig.ts'
import { readSettings, type RealtimeSettings } from './settings.ts'

function read(realtime: Record<string, unknown>): RealtimeSettings {
  const config = loadConfig('nowhere')
  config.tree['realtime'] = realtime
  return readSettings(config)
}

it('reads limits by the names of the hosted service, with 0 for no limit', () => {
  expect(
    read({
      enabled: true,
      max_concurrent_users: 200,
      max_events_per_second: 0,
      max_joins_per_second: 7,
      max_channels_per_client: 3,
      max_payload_size_in_kb: 256,
      private_only: true,
      allowed_origins: ['https://chat.example', 'http://localhost:5173/'],
      recheck_interval_in_s: 0,
      max_connections_per_person: 5,
      max_client_events_per_second: 0,
      max_join_size_in_kb: 16,
      join_timeout_in_s: 0,
    }),
  ).toMatchObject({
    maxConcurrentUsers: 200,
    maxConnectionsPerAddress: 100,
    maxEventsPerSecond: Infinity,
    maxJoinsPerSecond: 7,
    maxChannelsPerClient: 3,
    maxPayloadBytes: 256_500,
    privateOnly: true,
    allowedOrigins: new Set(['https://chat.example', 'http://localhost:5173']),
    recheckIntervalMs: Infinity,
    maxConnectionsPerPerson: 5,
    maxClientEventsPerSecond: Infinity,
    maxJoinBytes: 16_000,
    joinTimeoutMs: Infinity,
  })
})

it('allows every origin if none is configured', () => {
  expect(read({})).toMatchObject({ allowedOrigins: null, maxConnectionsPerAddress: 5_000 })
})

it.each([
  [
    { max_channels_per_client: -3 },
    'realtime.max_channels_per_client must be a whole number, 0 or more, not -3',
  ],
  [
    { max_events_per_second: 2.5 },
    'realtime.max_events_per_second must be a whole number, 0 or more, not 2.5',
  ],
  [{ max_joins_per_second: '9' }, 'realtime.max_joins_per_second must be a number, not "9"'],
  [{ max_payload_size_in_kb: 0 }, 'must be a whole number, from 1 to 50000, not 0'],
  [{ private_only: 'yes' }, 'realtime.private_only must be a boolean, not "yes"'],
  [
    { max_event_per_second: 5 },
    'realtime.max_event_per_second is not a setting. Valid names: max_concurrent_users, ',
  ],
  [
    { allowed_origins: ['chat.example'] },
    'contains "chat.example", which is not an origin like "https://chat.example"',
  ],
  [{ allowed_origins: ['https://chat.example/app'] }, 'which is not an origin'],
])('refuses %j and names valid values', (section, message) => {
  expect(() => read(section)).toThrow(message)
})
