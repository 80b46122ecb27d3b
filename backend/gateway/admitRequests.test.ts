import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Caller } from '../../wire/claims.ts'
import { defaultBudgetSettings } from '../budgets/budgetSettings.ts'
import { createBudgets } from '../budgets/createBudgets.ts'
import { admitRequests } from './admitRequests.ts'

/** Admits requests without a body; returns the addresses of those that were passed on, in order. */
function start(settings = defaultBudgetSettings): {
  passed: string[]
  statuses: number[]
  request(network: string): { close(): void }
} {
  const budgets = createBudgets(settings)
  const admission = admitRequests(budgets, null)
  const passed: string[] = []
  const statuses: number[] = []
  return {
    passed,
    statuses,
    request(network) {
      const outgoing = Object.assign(new EventEmitter(), {
        closed: false,
        setTimeout() {},
        writeHead: (status: number) => statuses.push(status),
        end() {},
      })
      const who: Caller = { role: 'anon', claims: {}, claimsJson: '{}', network }
      admission.admit(
        {
          incoming: { headers: {} } as IncomingMessage,
          outgoing: outgoing as unknown as ServerResponse,
          path: '/rest/v1/messages',
          who,
          bearer: null,
        },
        () => passed.push(network),
      )
      return {
        close() {
          outgoing.closed = true
          outgoing.emit('close')
        },
      }
    },
  }
}

it('passes requests on by caller in turn, so that many of one caller delay those of others by one each', async () => {
  const { request, passed } = start()
  for (let n = 0; n < 5; n++) request('192.0.2.1')
  request('192.0.2.2')
  request('192.0.2.3')
  while (passed.length < 7) await setImmediate()
  expect(passed.slice(0, 3)).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3'])
})

it('does not pass a request on that was closed before its turn, and returns its budget', async () => {
  const { request, passed } = start({ ...defaultBudgetSettings, maxRequests: 4, maxRequestsPerCaller: 1 })
  request('192.0.2.1').close()
  request('192.0.2.1')
  while (passed.length === 0) await setImmediate()
  await setImmediate()
  expect(passed).toHaveLength(1)
})

it('refuses more requests in progress than one caller may have, however many all may have', async () => {
  const { request, passed, statuses } = start({
    ...defaultBudgetSettings,
    maxRequests: 100,
    maxRequestsPerCaller: 3,
  })
  for (let n = 0; n < 5; n++) request('192.0.2.1')
  request('192.0.2.2')
  while (passed.length < 4) await setImmediate()
  expect(statuses).toEqual([429, 429])
  expect(passed.filter((network) => network === '192.0.2.1')).toHaveLength(3)
})
