import { i18n } from '@lingui/core'
import type { Recount } from '../../../../wire/activity.ts'
import type { Message } from '../../../../wire/messages.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { success, createFailure } from '../../failures/failures.ts'
import type { Outcome } from '../../failures/failures.ts'
import { conversationName } from '../../people/conversationName.ts'
import { getClientSession } from '../../session/clientSession.ts'
import type { ClientSession } from '../../session/clientSession.ts'
import { callCommand } from '../../client/callCommand.ts'
import { checkRows as check } from './checkRows.ts'
import { isDeepEqual } from './compareRows.ts'
import type { ComparedField, Comparison } from './compareRows.ts'

export interface CountsDifference {
  /** Name of the value, for display. */
  what: string
  /** Name of its conversation; null: it belongs to none. */
  conversation: string | null
  shown: string
  fetched: string
}

export interface CountsReport {
  /** Number of compared values. */
  compared: number
  /** Values that differed from the server's; they have been corrected. */
  differences: readonly CountsDifference[]
  /** Unread messages of conversations, mentions of the user in them and in threads, and threads with new replies. */
  totals: { unread: number; mentions: number; threads: number }
}

/**
 * Compares all loaded rows with the server's, corrects wrong ones, and reports them. Takes some seconds if much is
 * loaded. Fails if the server can't be reached.
 */
export async function checkCounts(): Promise<Outcome<CountsReport>> {
  const session = getClientSession()
  if (!session) return { ok: false, failure: createFailure('session_ended') }
  const after = (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  }
  const outcome = await check(session.store, { call: callCommand, after })
  if (!outcome.ok) return outcome
  const { compared, differences, recount } = outcome.value
  return success({
    compared,
    totals: totalsOf(recount),
    differences: differences.map((one) => describe(session, one)),
  })
}

function totalsOf({ channels, threads }: Recount): CountsReport['totals'] {
  const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0)
  return {
    unread: sum(channels.map((one) => one.unread)),
    mentions: sum([...channels, ...threads].map((one) => one.mentions)),
    threads: threads.filter((one) => one.unread > 0).length,
  }
}

const LABELS: Record<ComparedField, () => string> = {
  me: () => i18n._('Your profile'),
  workspace: () => i18n._('The workspace'),
  person: () => i18n._('A person'),
  sections: () => i18n._('Sidebar sections'),
  saved: () => i18n._('A saved message'),
  responses: () => i18n._('A response to a command'),
  searches: () => i18n._('A saved search'),
  scheduled: () => i18n._('A scheduled message'),
  reminders: () => i18n._('A reminder'),
  drafts: () => i18n._('A draft'),
  membership: () => i18n._('Membership'),
  channel: () => i18n._('Name, topic and settings'),
  counters: () => i18n._('Message and update counters'),
  readState: () => i18n._('Your read position and settings'),
  unread: () => i18n._('Unread messages'),
  mentions: () => i18n._('Unread mentions'),
  lastMessage: () => i18n._('Time of the last message'),
  thread: () => i18n._('Your read position in a thread'),
  message: () => i18n._('A message'),
}

function describe(session: ClientSession, one: Comparison): CountsDifference {
  const [shown, fetched] = differingText(one.shown, one.fetched)
  return { what: LABELS[one.what](), conversation: nameOf(session, one.channel), shown, fetched }
}

function nameOf(session: ClientSession, id: Uuid | null): string | null {
  const { channels, members, me } = session.store.get()
  const channel = id === null ? undefined : channels.get(id)?.entry.channel
  if (!channel) return null
  if (channel.name !== null) return channel.name
  const others = (channel.people ?? []).filter((person) => person !== me?.profile.id)
  const names = others.flatMap((person) => members.get(person)?.profile.name ?? [])
  return conversationName(names, others.length - names.length)
}

/** Both values as text; of objects, nested ones too, only the fields that differ. */
function differingText(shown: unknown, fetched: unknown): [string, string] {
  const fields = differingFields(shown, fetched)
  if (fields === null) return [textOf(shown), textOf(fetched)]
  return [
    fields.map(([key, value]) => `${key}: ${textOf(value)}`).join(', '),
    fields.map(([key, , value]) => `${key}: ${textOf(value)}`).join(', '),
  ]
}

/** Name and both values of each field that differs; null if one of them is no object. */
function differingFields(shown: unknown, fetched: unknown): [string, unknown, unknown][] | null {
  if (!isRow(shown) || !isRow(fetched)) return null
  return [...new Set([...Object.keys(shown), ...Object.keys(fetched)])]
    .filter((key) => !isDeepEqual(shown[key], fetched[key]))
    .flatMap((key) => differingFields(shown[key], fetched[key]) ?? [[key, shown[key], fetched[key]]])
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return i18n._('empty')
  if (typeof value === 'boolean') return value ? i18n._('yes') : i18n._('no')
  if (typeof value === 'string') return value
  if (isRow(value) && 'body' in value) return (value as unknown as Message).body
  return JSON.stringify(value) ?? ''
}
