import { expect, test } from 'vitest'
import { createFilePaths } from './createFilePaths.ts'

test('files with the same name have different paths, also where the case of letters is ignored', () => {
  const pathOf = createFilePaths()
  expect(pathOf('1', 'soup.jpg')).toBe('files/soup.jpg')
  expect(pathOf('2', 'soup (2).jpg')).toBe('files/soup (2).jpg')
  expect(pathOf('3', 'SOUP.jpg')).toBe('files/SOUP (3).jpg')
  expect(pathOf('4', 'soup.jpg')).toBe('files/soup (4).jpg')
  expect(pathOf('1', 'soup.jpg')).toBe('files/soup.jpg')
  expect(pathOf('5', '../b.txt')).toBe('files/__b.txt')
})
