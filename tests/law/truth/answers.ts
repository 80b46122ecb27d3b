import type { Caller } from '../../../wire/claims.ts'
import type { ThreadState } from '../../../wire/linnet.ts'
import type { LawHome } from '../home/home.ts'
import { sayInto } from './compare.ts'
import type { Truth } from './truth.ts'

/** What a fresh start is told that is not the truth: the home's own answers are measured too. */
export async function wrongAnswers(
  home: LawHome,
  label: string,
  caller: Caller,
  truth: Truth,
): Promise<string[]> {
  const found: string[] = []
  const say = sayInto(found, `answer to ${label}`)
  const answer = await home.ask(caller, 'bootstrap', {})
  if (!answer.ok) return [`answer to ${label}: bootstrap refused with ${answer.failure.name}`]
  const fresh = answer.value
  const byId = <T>(rows: readonly T[], id: (row: T) => string) =>
    Object.fromEntries(rows.map((row) => [id(row), row]))
  say('me', fresh.me && { profile: fresh.me.profile, role: fresh.me.role }, truth.me)
  say(
    'members',
    byId(fresh.members, (one) => one.profile.id),
    byId(truth.members, (one) => one.profile.id),
  )
  say(
    'channels',
    byId(fresh.channels, (one) => one.channel.id),
    byId(truth.entries, (one) => one.channel.id),
  )
  say('sections', fresh.sections, truth.sections)
  // What was deleted may lie above a pointer, and is nothing to be read.
  const unread = fresh.threads.filter((one) => one.counts.unread > 0)
  say('threads', unread.map(place), truth.unreadThreads)
  return found
}

/** Without the rev of which the place speaks. */
function place({ rev: _rev, ...one }: ThreadState): Omit<ThreadState, 'rev'> {
  return one
}
