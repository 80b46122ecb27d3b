export type Theme = 'system' | 'light' | 'dark'
export type Contrast = 'system' | 'more'
export type Density = 'comfortable' | 'compact'

export interface AppearanceSettings {
  theme: Theme
  contrast: Contrast
  density: Density
}

const KEY = 'linnet.look'
const DEFAULT: AppearanceSettings = { theme: 'system', contrast: 'system', density: 'comfortable' }

/** The look chosen on this device. */
export function readAppearance(): AppearanceSettings {
  try {
    return { ...DEFAULT, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<AppearanceSettings>) }
  } catch {
    // Storage may be refused or hold something foreign: the look is no reason not to start.
    return DEFAULT
  }
}

/** Puts a look on the page; the style sheets read it from the root's attributes. */
export function applyAppearance(appearance: AppearanceSettings): void {
  const { dataset } = document.documentElement
  dataset['theme'] = appearance.theme
  dataset['contrast'] = appearance.contrast
  dataset['density'] = appearance.density
}

/** Keeps a look on this device and shows it. */
export function saveAppearance(appearance: AppearanceSettings): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(appearance))
  } catch {
    // Shown all the same, until the page is closed.
  }
  applyAppearance(appearance)
}
