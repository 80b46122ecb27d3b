// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { internalPath } from './internalPath.ts'

test('a path within the app is returned unchanged', () => {
  expect(internalPath('/join?invitation=a#b')).toBe('/join?invitation=a#b')
  expect(internalPath(`${location.origin}/c/1`)).toBe('/c/1')
})

test('any other URL leads to the start page', () => {
  for (const next of [
    null,
    '',
    'https://evil.example/',
    '//evil.example/x',
    String.raw`\\evil.example`,
    'javascript:alert(1)',
    'http://[',
  ])
    expect(internalPath(next)).toBe('/')
})

test('the target of a callback path is extracted and checked again', () => {
  expect(internalPath(`${location.origin}/auth/callback?next=%2Fsetup`)).toBe('/setup')
  expect(internalPath('/auth/callback?next=https%3A%2F%2Fevil.example')).toBe('/')
  expect(internalPath('/auth/callback')).toBe('/')
})
