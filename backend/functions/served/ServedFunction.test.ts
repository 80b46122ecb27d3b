import { expect, it } from 'vitest'
import { loadConfig } from '../../config/loadConfig.ts'
import type { Exchange } from '../http/Exchange.ts'
import { functionLimits } from '../functionLimits.ts'
import { Workers } from '../process/Workers.ts'
import { errorResponses, type ErrorResponse } from '../errorResponses.ts'
import { ServedFunction } from './ServedFunction.ts'

it('sends and logs an error if no worker can be started, and continues', async () => {
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
  served.setVersion({
    name: 'hello',
    module: '/nowhere.js',
    folder: '/',
    inputs: [],
    verifyJwt: false,
    staticFiles: [],
    env: {},
  })
  const call = (): Promise<ErrorResponse> =>
    new Promise((resolve) => served.dispatch({ fail: resolve } as unknown as Exchange))
  expect(await call()).toBe(errorResponses.boot)
  expect(await call()).toBe(errorResponses.boot)
  expect(reasons).toEqual(['its code is gone', 'its code is gone'])
  expect(served.workers).toBe(0)
  await workers.close(0)
})
