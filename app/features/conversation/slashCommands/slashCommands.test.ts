import { i18n } from '@lingui/core'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { ChannelWithPermissions } from '../../../data/channels/channels.ts'
import { updateChannel } from '../../../data/channels/manageChannels.ts'
import { BUILT_IN_COMMANDS } from '../../../../wire/botCommands.ts'
import { createFailure } from '../../../data/failures/failures.ts'
import { invokeCommand, listAvailableCommands } from '../../../data/messages/botCommands.ts'
import { builtInSlashCommands } from './builtInSlashCommands.ts'
import { findSlashCommand, findSlashCommands } from './findSlashCommands.ts'
import { isSlashCommand } from './isSlashCommand.ts'
import { parseSlashCommand } from './parseSlashCommand.ts'
import type { SlashCommandContext, ComposerContext } from './SlashCommand.ts'

vi.mock(import('../../../data/messages/botCommands.ts'), async (original) => ({
  ...(await original()),
  listAvailableCommands: vi.fn(async () => []),
  invokeCommand: vi.fn(async () => ({ ok: true as const, value: undefined })),
}))
vi.mock(import('../../../data/channels/manageChannels.ts'), async (original) => ({
  ...(await original()),
  updateChannel: vi.fn(async () => ({ ok: false as const, failure: createFailure('network') })),
}))

beforeAll(() => i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} }))
beforeEach(() => {
  vi.mocked(listAvailableCommands).mockReset().mockResolvedValue([])
})

const tide = { name: 'tide', hint: 'place', description: 'High water', bot: { id: 'b', name: 'Tides' } }

const permissions = { post: true, topic: true, addPeople: true, leave: true }
const channel = { id: 'c', kind: 'public', muted: false, canPost: true, permissions }
const composer = (change: object = {}): ComposerContext => ({
  channel: { ...channel, ...change } as ChannelWithPermissions,
  threadRoot: null,
  me: { profile: { id: 'ann' } } as ComposerContext['me'],
})
const namesAt = async (at: ComposerContext): Promise<string[]> =>
  (await findSlashCommands(at)).map((command) => command.name)

async function run(name: string, argument: string) {
  const opened: unknown[] = []
  const command = (await findSlashCommands(composer())).find((one) => one.name === name)!
  const context: SlashCommandContext = {
    ...composer(),
    text: argument,
    argument,
    open: (overlay) => opened.push(overlay),
    navigate: () => {},
  }
  return { result: await command.run(context), opened }
}

test('a slash and a name are a command, a path is none', () => {
  for (const text of ['/me', '/me waves', '/TOPIC', '/x-1\nmore']) expect(isSlashCommand(text)).toBe(true)
  for (const text of ['/', '/etc/hosts', '/ me', '//me', 'a /me', '/1', '/me.']) {
    expect(isSlashCommand(text)).toBe(false)
  }
})

test('the name of a command is in lower case, its argument is trimmed', () => {
  expect(parseSlashCommand('/Topic  a b\nc ')).toEqual({ name: 'topic', argument: 'a b\nc' })
  expect(parseSlashCommand('/leave')).toEqual({ name: 'leave', argument: '' })
})

test('commands are offered to those who may use them', async () => {
  expect(await namesAt(composer())).toEqual([
    'date',
    'dm',
    'invite',
    'leave',
    'me',
    'msg',
    'mute',
    'poll',
    'remind',
    'shortcuts',
    'shrug',
    'status',
    'topic',
  ])
  expect(await namesAt(composer({ canPost: false, permissions: {} }))).toEqual([
    'date',
    'dm',
    'msg',
    'mute',
    'remind',
    'shortcuts',
    'status',
  ])
})

test('/shrug sends a text whose Markdown is ¯\\_(ツ)_/¯', async () => {
  expect((await run('shrug', 'no idea')).result).toEqual({
    kind: 'send',
    text: String.raw`no idea ¯\_(ツ)_/¯`,
  })
})

test('/me without text is rejected', async () => {
  expect((await run('me', '')).result.kind).toBe('rejected')
  expect((await run('me', 'waves')).result).toEqual({ kind: 'send', text: '/me waves' })
})

test('/poll opens the dialog with the question', async () => {
  const { result, opened } = await run('poll', 'Lunch?')
  expect(result).toEqual({ kind: 'done' })
  expect(opened).toMatchObject([{ kind: 'create-poll', first: { question: 'Lunch?' } }])
})

test('/msg and /invite without a known name are rejected', async () => {
  expect((await run('msg', 'nobody hello')).result.kind).toBe('rejected')
  expect((await run('invite', 'nobody')).result.kind).toBe('rejected')
})

test('a topic beyond the limit is rejected before it is sent', async () => {
  expect((await run('topic', 'x'.repeat(251))).result.kind).toBe('rejected')
})

test('a topic of several lines becomes one', async () => {
  await run('topic', 'Frost, \nseeds')
  expect(vi.mocked(updateChannel)).toHaveBeenCalledWith(expect.any(String), { topic: 'Frost, seeds' })
})

test('names of Linnet’s commands are reserved', () => {
  const names = builtInSlashCommands(composer()).map(({ name }) => name)
  expect(BUILT_IN_COMMANDS).toEqual(expect.arrayContaining(names))
})

test('commands of bots follow Linnet’s own, which do not wait for them', async () => {
  let respond: (commands: (typeof tide)[]) => void = () => {}
  vi.mocked(listAvailableCommands).mockReturnValue(new Promise((resolve) => (respond = resolve)))
  const found: string[][] = []
  const all = findSlashCommands(composer(), (commands) => found.push(commands.map(({ name }) => name)))
  await vi.waitFor(() => expect(found).toHaveLength(1))
  expect(found[0]).not.toContain('tide')
  // A bot's command never replaces one of Linnet's.
  respond([tide, { ...tide, name: 'me' }])
  const commands = await all
  expect(found[1]).toContain('tide')
  expect(commands.find(({ name }) => name === 'tide')?.botName).toContain('Tides')
  expect(commands.find(({ name }) => name === 'me')?.botName).toBeUndefined()
})

test('a command of Linnet is found without a request, an unknown one fails if bots’ commands can’t be loaded', async () => {
  vi.mocked(listAvailableCommands).mockRejectedValue(new Error('No connection.'))
  expect((await findSlashCommand(composer(), 'me'))?.name).toBe('me')
  expect(listAvailableCommands).not.toHaveBeenCalled()
  await expect(findSlashCommand(composer(), 'tide')).rejects.toThrow('No connection.')
  vi.mocked(listAvailableCommands).mockResolvedValue([tide])
  expect(await findSlashCommand(composer(), 'ebb')).toBeNull()
})

test('bots have no commands in direct conversations and where the reader can’t post', async () => {
  vi.mocked(listAvailableCommands).mockResolvedValue([tide])
  for (const change of [{ kind: 'direct' }, { kind: 'group' }, { canPost: false }]) {
    expect(await namesAt(composer(change))).not.toContain('tide')
  }
  expect(listAvailableCommands).not.toHaveBeenCalled()
})

test('a command of a bot is invoked in its thread; a refusal returns it to the field', async () => {
  vi.mocked(listAvailableCommands).mockResolvedValue([tide])
  const at = { ...composer(), threadRoot: 'root' }
  const command = (await findSlashCommand(at, 'tide'))!
  const context: SlashCommandContext = {
    ...at,
    text: '@Bea',
    argument: '<@bea>',
    open: () => {},
    navigate: () => {},
  }
  expect(await command.run(context)).toEqual({ kind: 'done' })
  expect(invokeCommand).toHaveBeenCalledWith({
    channel: 'c',
    threadRoot: 'root',
    name: 'tide',
    text: '<@bea>',
  })
  const failure = { name: 'rate_limited', message: 'Too fast.', isRetryable: false } as never
  vi.mocked(invokeCommand).mockResolvedValueOnce({ ok: false, failure })
  expect(await command.run(context)).toEqual({ kind: 'rejected', reason: 'Too fast.' })
})

test('/date opens the dialog, with the date that was typed', async () => {
  expect(await run('date', '')).toEqual({
    result: { kind: 'done' },
    opened: [{ kind: 'jump-to-date', channelId: 'c' }],
  })
  expect((await run('date', '2026-11-03')).opened).toMatchObject([{ day: '2026-11-03' }])
  expect((await run('date', 'monday')).result.kind).toBe('rejected')
})
