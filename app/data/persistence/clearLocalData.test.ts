// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { clearLocalData } from './clearLocalData.ts'

it('does not delete settings of the device, such as its theme', () => {
  for (const key of [
    'theme',
    'language',
    'settings',
    'last-channel',
    'emoji',
    'name',
    'here.somebody',
    'folded',
  ]) {
    localStorage.setItem(`linnet.${key}`, 'x')
  }
  localStorage.setItem('another app', 'x')
  sessionStorage.setItem('linnet.editing/somewhere', 'x')
  sessionStorage.setItem('linnet.reloaded', 'x')
  clearLocalData()
  expect(Object.keys(localStorage).sort()).toEqual([
    'another app',
    'linnet.language',
    'linnet.settings',
    'linnet.theme',
  ])
  expect(Object.keys(sessionStorage)).toEqual(['linnet.reloaded'])
})
