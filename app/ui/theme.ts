export type Theme = 'system' | 'light' | 'dark'
export type Contrast = 'system' | 'more'
export type Density = 'comfortable' | 'compact'

export interface Look {
  theme: Theme
  contrast: Contrast
  density: Density
}

const KEY = 'linnet.look'
const DEFAULT: Look = { theme: 'system', contrast: 'system', density: 'comfortable' }

/** The look chosen on this device. */
export function readLook(): Look {
  try {
    return { ...DEFAULT, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Look>) }
  } catch {
    // Storage may be refused or hold something foreign: the look is no reason not to start.
    return DEFAULT
  }
}

/** Puts a look on the page; the style sheets read it from the root's attributes. */
export function applyLook(look: Look): void {
  const { dataset } = document.documentElement
  dataset['theme'] = look.theme
  dataset['contrast'] = look.contrast
  dataset['density'] = look.density
}

/** Keeps a look on this device and shows it. */
export function chooseLook(look: Look): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(look))
  } catch {
    // Shown all the same, until the page is closed.
  }
  applyLook(look)
}
