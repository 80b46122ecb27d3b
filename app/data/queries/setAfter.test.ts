// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkAgain, workspaceHealth } from '../administration/health.ts'
import { joiningSettings, setJoiningDomain, setJoiningOptions } from '../administration/joining.ts'
import { retentionSettings, setRetention } from '../administration/retention.ts'
import { setStorageQuotas, storageUsage } from '../administration/storageUsage.ts'
import { guestLinks, isPersonBlocked, setBlocked, setGuestLinks } from '../moderation/moderation.ts'
import { notificationPreferences, setNotificationPreferences } from '../notifications/preferences.ts'
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

beforeEach(startSession)
afterEach(() => setClientSession(null))

function startSession(): void {
  const store = { get: () => ({ workspace: { id: 'w' } }), watch: () => () => {} }
  setClientSession({ store, isLive: () => true } as unknown as ClientSession)
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
  setNotificationPreferences: {
    query: notificationPreferences,
    run: () => setNotificationPreferences({ mail: false }),
    before: [{ mail: true }],
    after: [{ mail: false }],
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
