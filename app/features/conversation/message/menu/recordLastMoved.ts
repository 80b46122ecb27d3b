/**
 * Records from now on whether the pointer or the focus moved last, in the attribute `data-moved` of the root element. A hovered
 * and a focused row both have their toolbar, and the style displays only one of them.
 */
export function recordLastMoved(): void {
  const { dataset } = document.documentElement
  const record = (moved: 'pointer' | 'focus') => {
    if (dataset.moved !== moved) dataset.moved = moved
  }
  addEventListener(
    'pointermove',
    ({ pointerType }) => record(pointerType === 'mouse' ? 'pointer' : 'focus'),
    {
      passive: true,
    },
  )
  addEventListener('keydown', () => record('focus'), true)
  addEventListener('focusin', () => record('focus'))
}
