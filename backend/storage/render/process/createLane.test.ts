import { expect, test } from 'vitest'
import { createLane } from './createLane.ts'

/** A lane whose work ends when it is told to, and what has come of what was asked. */
function world(o: { queue?: number; patience?: number } = {}) {
  let time = 0
  const lane = createLane({ queue: o.queue ?? 4, patience: o.patience ?? 100, now: () => time })
  const heard: string[] = []
  let end: (() => void) | null = null
  const ask = (by: string, what: string): void => {
    const work = () =>
      new Promise<void>((resolve) => {
        heard.push(what)
        end = resolve
      })
    lane.take(by, work).catch((error: { code: string }) => heard.push(`${what} ${error.code}`))
  }
  const done = async (): Promise<void> => {
    end?.()
    await new Promise(setImmediate)
  }
  return { ask, done, heard, wait: (ms: number) => (time += ms) }
}

test('one who asks for many waits for a single one of another', async () => {
  const { ask, done, heard } = world()
  for (const what of ['o1', 'o2', 'o3', 'o4']) ask('omar', what)
  ask('ann', 'a1')
  for (let turn = 0; turn < 5; turn++) await done()
  expect(heard).toEqual(['o1', 'o2', 'a1', 'o3', 'o4'])
})

test('where no place is left, who has the most gives one up', async () => {
  const { ask, done, heard } = world({ queue: 3 })
  for (const what of ['o1', 'o2', 'o3', 'o4', 'o5']) ask('omar', what)
  await done()
  ask('omar', 'o6')
  for (const what of ['a1', 'a2']) ask('ann', what)
  for (let turn = 0; turn < 6; turn++) await done()
  // Ann gets no second place: then it would be she who has the most.
  expect(heard).toEqual(['o1', 'o5 SlowDown', 'o2', 'o6 SlowDown', 'a2 SlowDown', 'o3', 'a1', 'o4'])
})

test('a turn that comes too late is none, and the next has it', async () => {
  const { ask, done, heard, wait } = world()
  ask('ann', 'a1')
  ask('ann', 'a2')
  wait(200)
  ask('bea', 'b1')
  await done()
  await done()
  ask('ann', 'a3')
  expect(heard).toEqual(['a1', 'b1', 'a2 SlowDown', 'a3'])
})
