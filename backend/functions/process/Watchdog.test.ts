import { expect, test, vi } from 'vitest'
import type { FunctionLimits } from '../functionLimits.ts'
import type { FrameWriter } from '../ipc/FrameWriter.ts'
import { Watchdog } from './Watchdog.ts'

const shared = vi.hoisted(() => ({ cpuMs: 0, demoted: [] as number[] }))

vi.mock('./processUsage.ts', () => ({ processUsage: () => ({ cpuMs: shared.cpuMs, residentMb: 1 }) }))
vi.mock('./spawnWorker.ts', () => ({ demote: (pid: number) => shared.demoted.push(pid) }))

/** A worker that has not answered a ping for half a second, in which it used this much CPU time. */
function checkStuckWorker(usedMs: number): void {
  shared.cpuMs = 1_000
  shared.demoted = []
  const watchdog = new Watchdog(
    {
      pid: 7,
      requests: { size: 2, values: () => [][Symbol.iterator]() } as never,
      writer: { send() {} } as unknown as FrameWriter,
      served: 0,
      isReady: true,
      isDraining: false,
      isEnded: false,
      kill: (end, detail) => expect.unreachable(`${end}: ${detail}`),
    },
    { cpuMs: 2_000, residentMb: 100 } as FunctionLimits,
  )
  watchdog.check(performance.now() - 500)
  shared.cpuMs += usedMs
  watchdog.check(performance.now())
}

test('a worker whose event loop is blocked by its own work gets a lower priority', () => {
  checkStuckWorker(400)
  expect(shared.demoted).toEqual([7])
})

test('a worker that got no CPU keeps its priority', () => {
  checkStuckWorker(20)
  expect(shared.demoted).toEqual([])
})
