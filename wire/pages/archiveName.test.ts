import { expect, it } from 'vitest'
import { archiveName } from './archiveName.ts'

it.each([
  ['plan.txt', 'plan.txt'],
  ['Dienstplan für Ärzte.pdf', 'Dienstplan für Ärzte.pdf'],
  ['می‌خواهم.jpg', 'می‌خواهم.jpg'],
  ['../../etc/passwd', '__.._etc_passwd'],
  ['C:\\temp\\a.txt', 'C__temp_a.txt'],
  ['.bashrc', '_bashrc'],
  ['..', '_'],
  ['a. ', 'a_'],
  ['con.txt', '_con.txt'],
  ['LPT1', '_LPT1'],
  ['console.txt', 'console.txt'],
  ['report\u202Egpj.exe', 'report_gpj.exe'],
  ['a\nb\0.txt', 'a_b_.txt'],
  ['\uD800.txt', '_.txt'],
  ['', 'file'],
])('the file %j is %j in an archive', (name, expected) => {
  expect(archiveName(name)).toBe(expected)
})

it.each(['ä', '😀'])('a long name of %s keeps its extension and whole characters', (character) => {
  expect(archiveName(`${character.repeat(300)}.pdf`)).toBe(`${character.repeat(100)}.pdf`)
})
