import { expect, it } from 'vitest'
import { ConfigError, type Config } from '../config/loadConfig.ts'
import { budgetSettings, defaultBudgetSettings } from './budgetSettings.ts'

const configWith = (values: Record<string, number>): Pick<Config, 'at' | 'errorAt'> => ({
  errorAt: (path, problem) => new ConfigError(`${path} ${problem}`),
  at: (path, fallback) => (values[path] as typeof fallback | undefined) ?? fallback,
})

it('uses the configured amounts, and defaults for the others', () => {
  expect(
    budgetSettings(configWith({ 'budgets.max_buffered_mb': 0.5, 'budgets.max_connections': 10 })),
  ).toEqual({
    ...defaultBudgetSettings,
    maxBufferedBytes: 524_288,
    maxConnections: 10,
    maxConnectionsPerAddress: 5,
  })
})

it.each([0, -1, Number.NaN])('rejects %s, which no budget can be', (value) => {
  expect(() => budgetSettings(configWith({ 'budgets.max_requests': value }))).toThrow(
    `budgets.max_requests must be a number above 0, not ${value}`,
  )
})
