import { expect, it } from 'vitest'
import { loadConfig } from '../../config/loadConfig.ts'
import type { Exchange } from '../http/Exchange.ts'
import { functionLimits } from '../functionLimits.ts'
import { Workers } from '../process/Workers.ts'
import { refusals, type Refusal } from '../refusals.ts'
import { ServedFunction } from './ServedFunction.ts'

it('answers and says why where no worker can be made, and goes on', async () => {
  const limits = functionLimits(loadConfig(import.meta.dirname))
  const workers = new Workers(
    () => Promise.reject(new Error('its code is gone')),
    limits,
    () => false,
  )
  const reasons: string[] = []
  const served = new ServedFunction(workers, limits, {
    onOutput() {},
    onBootFailure: (reason) => reasons.push(reason),
    onWorkerEnd() {},
  })
  served.become({
    name: 'hello',
    module: '/nowhere.js',
    folder: '/',
    inputs: [],
    verifyJwt: false,
    staticFiles: [],
    env: {},
  })
  const call = (): Promise<Refusal> =>
    new Promise((resolve) => served.dispatch({ refuse: resolve } as unknown as Exchange))
  expect(await call()).toBe(refusals.boot)
  expect(await call()).toBe(refusals.boot)
  expect(reasons).toEqual(['its code is gone', 'its code is gone'])
  expect(served.workers).toBe(0)
  await workers.close(0)
})
