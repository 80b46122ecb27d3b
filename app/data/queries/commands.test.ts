// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { changePassword } from '../account/emailAndPassword.ts'
import { removeFactor } from '../account/factors.ts'
import { ownAccount } from '../account/ownAccount.ts'
import { ownSessions, revokeSession } from '../account/ownSessions.ts'
import { unlinkIdentity } from '../account/providers.ts'
import { archiveChannels, channelList } from '../administration/administerChannels.ts'
import { changeEach, peopleList } from '../administration/administerPeople.ts'
import { checkAgain, workspaceHealth } from '../administration/health.ts'
import { joiningSettings, setJoiningDomain, setJoiningOptions } from '../administration/joining.ts'
import { retentionSettings, setRetention } from '../administration/retention.ts'
import { setStorageQuotas, storageUsage } from '../administration/storageUsage.ts'
import { deleteChannel } from '../channels/manageChannels.ts'
import { publicChannels } from '../channels/publicChannels.ts'
import { guestLinks, isPersonBlocked, setBlocked, setGuestLinks } from '../moderation/moderation.ts'
import { approveDevice } from '../session/deviceSignIn.ts'
import { sessionEmitter, setClientSession, type ClientSession } from '../session/clientSession.ts'
import type { Query } from './createQuery.ts'

const { waiting, request } = vi.hoisted(() => {
  /** Ends each request that has no response yet. */
  const unanswered: ((value: unknown) => void)[] = []
  const send = () => new Promise((resolve) => unanswered.push((value) => resolve({ ok: true, value })))
  return { waiting: unanswered, request: send }
})

vi.mock(import('../client/callCommand.ts'), () => ({ callCommand: request }) as never)
vi.mock(import('../client/runQuery.ts'), () => ({ runQuery: request }) as never)
vi.mock(
  import('../client/requestAuth.ts'),
  () => ({ requestAuth: request, refreshSession: request }) as never,
)

beforeEach(startSession)
afterEach(() => {
  waiting.length = 0
  setClientSession(null)
})

function startSession(): void {
  const store = { get: () => ({ workspace: { id: 'w' } }), watch: () => () => {} }
  const engine = { refresh: () => {} }
  setClientSession({ store, engine, isLive: () => true } as unknown as ClientSession)
  sessionEmitter.emit()
}

async function respond(value: unknown): Promise<void> {
  await vi.waitFor(() => expect(waiting).not.toEqual([]))
  waiting.shift()?.(value)
}

interface Case {
  query: Query<never, unknown>
  args?: unknown[]
  run: () => Promise<unknown>
  /** The response to a fetch before the command, and the response to the command. */
  before?: unknown
  after?: unknown
}

const rule = { scope: 'workspace', keep: 'forever', keep_days: null, channel: null } as never
const commands = Object.entries({
  setRetention: { query: retentionSettings, run: () => setRetention(rule) },
  setStorageQuotas: {
    query: storageUsage,
    run: () => setStorageQuotas({ max_bytes: 1, max_bytes_per_person: 1 }),
  },
  setJoiningDomain: { query: joiningSettings, run: () => setJoiningDomain('example.com', null) },
  setJoiningOptions: { query: joiningSettings, run: () => setJoiningOptions({ open_requests: true }) },
  checkAgain: { query: workspaceHealth, run: checkAgain },
  setBlocked: {
    query: isPersonBlocked,
    args: ['p'],
    run: () => setBlocked('p', true),
    before: [],
  },
  setGuestLinks: {
    query: guestLinks,
    run: () => setGuestLinks(true),
    before: [{ guest_links: false }],
    after: { guest_links: true },
  },
} as unknown as Record<string, Case>)

test.each(commands)(
  'a late response to %s does not replace the value of the next session',
  async (_, one) => {
    const { query, args = [], run, before = { server: null, id: 'before' } } = one
    const after = one.after ?? { server: null, id: 'after' }
    const get = () => query.get(...(args as never))
    const fetchValue = async () => {
      query.watch(...(args as never))
      await respond(before)
      await vi.waitFor(() => expect(get()).toBeDefined())
    }
    await fetchValue()
    const fetched = get()
    const saved = run()
    await respond(after)
    await saved
    expect(get()).not.toEqual(fetched)

    const savedLate = run()
    await vi.waitFor(() => expect(waiting).toHaveLength(1))
    const endLate = waiting.shift()
    startSession()
    await fetchValue()
    endLate?.(after)
    await savedLate
    expect(get()).toEqual(fetched)
  },
)

const person = { profile: { id: 'p' } } as never
const refetches = Object.entries({
  archiveChannels: { query: channelList, args: [{}], run: () => archiveChannels(['c'], true) },
  deleteChannel: { query: publicChannels, run: () => deleteChannel('c', 'general') },
  changeEach: { query: peopleList, args: [{}], run: () => changeEach([person], () => request() as never) },
  changePassword: { query: ownAccount, run: () => changePassword('a new password') },
  removeFactor: { query: ownSessions, run: () => removeFactor('f') },
  unlinkIdentity: { query: ownAccount, run: () => unlinkIdentity('i') },
  revokeSession: { query: ownSessions, run: () => revokeSession('s') },
  approveDevice: { query: ownSessions, run: () => approveDevice('d', 1) },
} as unknown as Record<string, Case>)

test.each(refetches)('%s fetches the displayed values again that it changes', async (_, one) => {
  const { query, args = [], run } = one
  const { get, watch } = query as unknown as Query<unknown[], unknown>
  watch(...args)
  await respond({ people: [], channels: [], after: null })
  await vi.waitFor(() => expect(get(...args)).toBeDefined())
  let isDone = false
  void run().then(() => {
    isDone = true
  })
  await vi.waitFor(() => {
    if (!isDone) waiting.shift()?.({})
    expect(isDone).toBe(true)
  })
  await vi.waitFor(() => expect(waiting).not.toEqual([]))
})
