/* oxlint-disable vitest/valid-expect -- the second argument of expect names the case that failed */
import { expect, it } from 'vitest'
import { fileName } from './fileName.ts'

it('is cut between graphemes, and keeps its extension', () => {
  const long = fileName(`${'a'.repeat(234)}${'👩🏽‍⚕️'.repeat(10)}.pdf`, null)
  expect(long).toBe(`${'a'.repeat(234)}${'👩🏽‍⚕️'.repeat(3)}.pdf`)
  expect([...fileName('😀'.repeat(300), null)].length).toBe(255)
  expect(fileName(`${'b'.repeat(300)}.heic`, 'image/jpeg')).toBe(`${'b'.repeat(251)}.jpg`)
  expect(fileName('tönend.m4a', null)).toBe('tönend.m4a')
})

it('has nothing that the database refuses', () => {
  for (const name of ['\u202E', '\u2028', '\u200B', '', ' ', '\0', '\u2800'])
    expect(fileName(name, null), JSON.stringify(name)).toBe('file')
  expect(fileName('invoice\u202Efdp.exe', null)).toBe('invoice fdp.exe')
  expect(fileName('../a\\b\u2029c\uD83D.txt', null)).toBe('.. a b c\uFFFD.txt')
})
