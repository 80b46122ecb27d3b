import { expect, test } from 'vitest'
import { createTapReader } from './createTapReader.ts'

const faultsOf = (...texts: string[]): string[] => {
  const reader = createTapReader()
  for (const text of texts) reader.read(text)
  return reader.finish()
}

test('failed tests are reported with their diagnosis', () => {
  const failed = 'not ok 2 - has a name\n# Failed test 2: "has a name"\n#         have: a'
  expect(faultsOf('1..3', 'ok 1 - exists', failed, 'ok 3', '# Looks like you failed 1 test of 3')).toEqual([
    'not ok 2 - has a name',
    '# Failed test 2: "has a name"',
    '#         have: a',
  ])
})

test('a plan may come last, and expected failures are none', () => {
  expect(faultsOf('ok 1', 'not ok 2 - later # TODO not written', 'ok 3 # SKIP none', '1..3')).toEqual([])
})

test('a missing plan and missing tests are reported', () => {
  expect(faultsOf('ok 1')).toEqual(['The file has no plan.'])
  expect(faultsOf('1..2', 'ok 1')).toEqual(['2 tests are planned, and 1 ran.'])
})
