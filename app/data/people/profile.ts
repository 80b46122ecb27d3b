import type { Profile } from '../../../wire/people.ts'
import type { Timestamp } from '../../../wire/scalars.ts'
import { success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { getClientSession } from '../session/clientSession.ts'
import { runQuery } from '../client/runQuery.ts'
import '../failures/profileFailures.ts'
import { noWorkspace } from '../workspaces/workspace.ts'

type Change = Partial<
  Pick<
    Profile,
    | 'name'
    | 'title'
    | 'pronouns'
    | 'time_zone'
    | 'avatar'
    | 'status_emoji'
    | 'status_text'
    | 'status_expires_at'
    | 'presence'
    | 'presence_until'
  >
>

const COLUMNS =
  'id, kind, name, avatar, status_emoji, status_text, status_expires_at, presence, presence_until, title, time_zone, pronouns'

/** Changes the user's profile (an update under a policy), and displays it before the event arrives. */
export async function updateProfile(change: Change): Promise<Outcome> {
  const session = getClientSession()
  const me = session?.store.get().me
  if (!session || !me) return noWorkspace()
  const saved = await runQuery((client) =>
    client.from('profiles').update(change).eq('id', me.profile.id).select(COLUMNS).single<Profile>(),
  )
  if (!saved.ok) return saved
  const { workspace, members } = session.store.get()
  const member = members.get(me.profile.id)
  if (workspace && member) {
    const changed = { ...member, profile: saved.value }
    session.store.dispatch({
      type: 'userEventReceived',
      event: { event: 'member', payload: { workspace_id: workspace.id, member: changed } },
    })
  }
  return success(undefined)
}

/** 1–80 characters. */
export function changeName(name: string): Promise<Outcome> {
  return updateProfile({ name })
}

/** At most 80 characters; an empty title removes it. */
export function changeTitle(title: string): Promise<Outcome> {
  return updateProfile({ title: title || null })
}

/** At most 40 characters; empty pronouns remove them. */
export function changePronouns(pronouns: string): Promise<Outcome> {
  return updateProfile({ pronouns: pronouns || null })
}

/** A name of the IANA database; null: others see no local time. */
export function changeTimeZone(timeZone: string | null): Promise<Outcome> {
  return updateProfile({ time_zone: timeZone })
}

export interface Status {
  emoji: string | null
  /** At most 100 characters. */
  text: string | null
  /** When it expires; null: never. */
  until: Timestamp | null
}

/** Sets the user's status; null removes it. `doNotDisturb`: also sets this presence, for as long. */
export function setStatus(status: Status | null, doNotDisturb = false): Promise<Outcome> {
  return updateProfile({
    status_emoji: status?.emoji ?? null,
    status_text: status?.text ?? null,
    status_expires_at: status?.until ?? null,
    ...(status && doNotDisturb ? { presence: 'dnd', presence_until: status.until } : {}),
  })
}

/** Sets the user's presence; `auto`: by activity. `until` null: until changed. */
export function setPresence(presence: Profile['presence'], until: Timestamp | null = null): Promise<Outcome> {
  return updateProfile({ presence, presence_until: until })
}
