import { expect, test, vi } from 'vitest'
import { done } from '../failures.ts'
import type { Outcome } from '../failures.ts'
import { keepWishes } from './keepWishes.ts'
import { createWishes } from './wishes.ts'

interface Row {
  starred: boolean
  muted: boolean
}

function world() {
  const answers: ((outcome: Outcome) => void)[] = []
  const asked: Partial<Row>[] = []
  const pauses: (() => void)[] = []
  const wishes = createWishes<Row>(() => {})
  const keep = keepWishes<Row>({
    wishes,
    save: (_id, change) => {
      asked.push(change)
      return new Promise((resolve) => answers.push(resolve))
    },
    pause: () => new Promise((resolve) => pauses.push(resolve)),
  })
  return { wishes, keep, asked, answers, pauses }
}

const turn = () => new Promise((resolve) => setTimeout(resolve))

const offline: Outcome = { ok: false, failure: { name: 'network', sentence: '', again: true } }
const refused: Outcome = { ok: false, failure: { name: 'not_allowed', sentence: '', again: false } }

test('a wish shows at once and ends when it is kept', async () => {
  const { wishes, keep, answers } = world()
  const kept = keep('a', { starred: true })
  expect(wishes.of('a')).toEqual({ starred: true })
  await turn()
  expect(answers).toHaveLength(1)
  answers[0]!(done(undefined))
  expect(await kept).toEqual(done(undefined))
  expect(wishes.of('a')).toBeUndefined()
})

test('what is refused is taken back, what was wished beside it stays', async () => {
  const { wishes, keep, answers } = world()
  const first = keep('a', { starred: true })
  void keep('a', { muted: true })
  await turn()
  expect(answers).toHaveLength(1)
  answers[0]!(refused)
  expect(await first).toEqual(refused)
  expect(wishes.of('a')).toEqual({ muted: true })
})

test('a later wish stands while the earlier one is still asked for', async () => {
  const { wishes, keep, asked, answers } = world()
  void keep('a', { starred: true })
  const last = keep('a', { starred: false })
  await turn()
  expect(answers).toHaveLength(1)
  answers[0]!(done(undefined))
  await turn()
  expect(answers).toHaveLength(2)
  expect(wishes.of('a')).toEqual({ starred: false })
  answers[1]!(done(undefined))
  await last
  expect(asked).toEqual([{ starred: true }, { starred: false }])
  expect(wishes.of('a')).toBeUndefined()
})

test('offline it waits, says so once, and is taken back when it could not be kept', async () => {
  const { wishes, keep, answers, pauses } = world()
  const waiting = vi.fn()
  const kept = keep('a', { starred: true }, waiting)
  let tries = 0
  for (; tries < 20; tries++) {
    const before = tries
    await turn()
    expect(answers).toHaveLength(before + 1)
    answers[before]!(offline)
    await turn()
    if (wishes.of('a') === undefined) break
    pauses[before]!()
  }
  expect(await kept).toEqual(offline)
  expect(tries).toBe(9)
  expect(waiting).toHaveBeenCalledTimes(1)
})
