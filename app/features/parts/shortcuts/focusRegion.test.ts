// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { focusRegion } from './focusRegion.ts'

it('F6 moves from region to region, and to a toast with a button', () => {
  document.body.innerHTML = `
    <nav><a href="/c/a" aria-current="page">general</a></nav>
    <main data-pane><form data-compose><textarea></textarea></form></main>
    <div data-toast><button>Undo</button></div>`
  const order: (string | undefined)[] = []
  for (let step = 0; step < 5; step++) {
    focusRegion(1)
    order.push(document.activeElement?.localName)
  }
  expect(order).toEqual(['a', 'textarea', 'button', 'a', 'textarea'])
})
