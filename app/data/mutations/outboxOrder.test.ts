import { describe, expect, it } from 'vitest'
import type { Message } from '../../../wire/messages.ts'
import { buildMessage, LOBBY, ME } from '../store/buildRows.fixture.ts'
import { file, temporaryFailure, rejection, createTestOutbox } from './createTestOutbox.fixture.ts'
import type { TestStorage } from './createTestOutbox.fixture.ts'

/** All orders of these. */
function orders<T>(list: readonly T[]): T[][] {
  if (list.length < 2) return [[...list]]
  return list.flatMap((one, index) =>
    orders([...list.slice(0, index), ...list.slice(index + 1)]).map((rest) => [one].concat(rest)),
  )
}

describe('every order of events ends with one message or none', () => {
  type Step = 'respond' | 'reload' | 'change' | 'delete'
  const steps: Step[] = ['respond', 'reload', 'change', 'delete']
  const cases = orders(steps).flatMap((order) => [
    { order, cut: false, files: [] },
    { order, cut: true, files: [] },
    { order, cut: true, files: [file] },
  ])

  it.each(cases)('$order, the response lost: $cut, files: $files.length', async ({ order, cut, files }) => {
    // A server that takes the message with the first request, and whose first response may be lost.
    let there: Message | null = null
    let rev = 10
    const storage: TestStorage = { mutations: [] }
    let page = createTestOutbox(storage)
    let lost = cut
    const serve = async () => {
      while (page.requests.length > 0 || page.outbox.pendingQueues() > 0) {
        const one = page.requests.shift()
        if (one) {
          rev += 1
          const { body } = one.args as { body?: string }
          if (one.name === 'send_message') there ??= buildMessage(11, { id: 'm', rev, body, author_id: ME })
          const held: Message | null = there
          if (!held) one.respond({ ok: false, failure: { ...rejection, name: 'not_found' } })
          else {
            if (one.name === 'edit_message') there = { ...held, rev, body: body ?? '' }
            if (one.name === 'delete_message') there = { ...held, rev, body: '', deleted_at: 'now' }
            if (lost) one.respond({ ok: false, failure: temporaryFailure })
            else one.respond({ ok: true, value: { message: there, epoch: 1 } })
            lost = false
          }
        }
        // oxlint-disable-next-line no-await-in-loop -- one step after the other
        await page.advanceTime(2_000)
      }
    }
    await page.send('m', files)
    for (const step of order) {
      const mutation = { kind: 'delete' as const, id: 'd', channel: LOBBY, message: 'm' }
      if (step === 'reload') {
        page.outbox.stop()
        page = createTestOutbox(storage)
        // oxlint-disable-next-line no-await-in-loop -- one step after the other
        await page.outbox.reload()
      }
      // oxlint-disable-next-line no-await-in-loop -- one step after the other
      if (step === 'change') await page.edit('e', 'm', 'better')
      // oxlint-disable-next-line no-await-in-loop -- one step after the other
      if (step === 'delete') await page.put(mutation)
      // oxlint-disable-next-line no-await-in-loop -- one step after the other
      if (step === 'respond') await serve()
    }
    await serve()
    expect(storage.mutations).toEqual([])
    const deleted = there === null || (there as Message).deleted_at !== null
    expect(deleted).toBe(true)
    expect(page.rejections).toEqual([])
  })
})
