export type Theme = 'system' | 'light' | 'dark'
export type Contrast = 'system' | 'more'
export type Density = 'comfortable' | 'compact'

export interface AppearanceSettings {
  theme: Theme
  contrast: Contrast
  density: Density
}

const KEY = 'linnet.theme'
const DEFAULT: AppearanceSettings = { theme: 'system', contrast: 'system', density: 'comfortable' }

/** The appearance chosen on this device. */
export function readAppearance(): AppearanceSettings {
  try {
    return { ...DEFAULT, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<AppearanceSettings>) }
  } catch {
    // Storage may be unavailable or contain something else: use the default.
    return DEFAULT
  }
}

/** Applies the appearance: style sheets read attributes of the root element. */
export function applyAppearance(appearance: AppearanceSettings): void {
  const { dataset } = document.documentElement
  dataset['theme'] = appearance.theme
  dataset['contrast'] = appearance.contrast
  dataset['density'] = appearance.density
}

/** Stores and applies the appearance on this device. */
export function saveAppearance(appearance: AppearanceSettings): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(appearance))
  } catch {
    // Applied all the same, until the page is closed.
  }
  applyAppearance(appearance)
}
