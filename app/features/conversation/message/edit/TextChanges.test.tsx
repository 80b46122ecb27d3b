import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { TextChanges } from './TextChanges.tsx'

const changes = (before: string, after: string): string =>
  renderToStaticMarkup(<TextChanges before={before} after={after} />).replaceAll(/<\/?p[^>]*>/g, '')

test('added and removed words are marked', () => {
  expect(changes('The van comes at four', 'The blue van comes at five')).toBe(
    'The <ins>blue </ins>van comes at <del>four</del><ins>five</ins>',
  )
})

test('words of scripts without spaces are compared one by one', () => {
  expect(changes('会議は中止です', '会議は延期です')).toBe('会議は<del>中止</del><ins>延期</ins>です')
})

test('markup is text', () => {
  expect(changes('a', '<b>')).toBe('<del>a</del><ins>&lt;b&gt;</ins>')
})
