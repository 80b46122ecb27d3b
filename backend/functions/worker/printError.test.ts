import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { renderError } from './printError.ts'

it('removes internal frames from a stack trace, and no field of the error', async () => {
  const error = await new Promise<Error>((resolve) =>
    setImmediate(() =>
      resolve(Object.assign(new Error('too bad', { cause: new Error('why') }), { code: 7 })),
    ),
  )
  expect(inspect(error)).toMatch(/at .*node:internal/)
  const shown = renderError(error)
  expect(shown).toMatch(/Error: too bad\n +at .*printError\.test\.ts:\d+/)
  expect(shown).toMatch(/\[cause\]: Error: why\n +at .*printError\.test\.ts:\d+/)
  expect(shown).toContain('code: 7')
  expect(shown.split('\n').filter((line) => /node:internal/.test(line) && !line.endsWith('{'))).toEqual([])
})

it('keeps a stack trace without frames of the function', () => {
  const error = new Error('elsewhere')
  error.stack = 'Error: elsewhere\n    at connect (node:net:1:1)'
  expect(renderError(error)).toBe('Error: elsewhere\n    at connect (node:net:1:1)')
  expect(renderError('no error')).toBe("'no error'")
})
