import { i18n } from '@lingui/core'
import { beforeAll, expect, test } from 'vitest'
import type { ChannelWithPermissions } from '../../../data/channels/channels.ts'
import { findCommands } from './findCommands.ts'
import { isCommand } from './isCommand.ts'
import { parseCommand } from './parseCommand.ts'
import type { CommandContext, CommandPlace } from './SlashCommand.ts'

beforeAll(() => i18n.loadAndActivate({ locale: 'en', locales: ['en'], messages: {} }))

const permissions = { post: true, topic: true, addPeople: true, leave: true }
const channel = { id: 'c', kind: 'public', muted: false, canPost: true, permissions }
const place = (change: object = {}): CommandPlace => ({
  channel: { ...channel, ...change } as ChannelWithPermissions,
  threadRoot: null,
  me: { profile: { id: 'ann' } } as CommandPlace['me'],
})
const namesAt = async (at: CommandPlace): Promise<string[]> =>
  (await findCommands(at)).map((command) => command.name)

async function run(name: string, argument: string) {
  const opened: unknown[] = []
  const command = (await findCommands(place())).find((one) => one.name === name)!
  const context: CommandContext = {
    ...place(),
    text: argument,
    argument,
    open: (overlay) => opened.push(overlay),
    navigate: () => {},
  }
  return { result: await command.run(context), opened }
}

test('a slash and a name are a command, a path is none', () => {
  for (const text of ['/me', '/me waves', '/TOPIC', '/x-1\nmore']) expect(isCommand(text)).toBe(true)
  for (const text of ['/', '/etc/hosts', '/ me', '//me', 'a /me', '/1', '/me.']) {
    expect(isCommand(text)).toBe(false)
  }
})

test('the name of a command is in lower case, its argument is trimmed', () => {
  expect(parseCommand('/Topic  a b\nc ')).toEqual({ name: 'topic', argument: 'a b\nc' })
  expect(parseCommand('/leave')).toEqual({ name: 'leave', argument: '' })
})

test('commands are offered to those who may use them', async () => {
  expect(await namesAt(place())).toEqual([
    'dm',
    'invite',
    'leave',
    'me',
    'msg',
    'mute',
    'poll',
    'shortcuts',
    'shrug',
    'status',
    'topic',
  ])
  expect(await namesAt(place({ canPost: false, permissions: {} }))).toEqual([
    'dm',
    'msg',
    'mute',
    'shortcuts',
    'status',
  ])
})

test('/shrug sends a text whose Markdown is ¯\\_(ツ)_/¯', async () => {
  expect((await run('shrug', 'no idea')).result).toEqual({
    kind: 'send',
    text: String.raw`no idea ¯\\\_(ツ)\_/¯`,
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
