export type Theme = 'system' | 'light' | 'dark'
export type Contrast = 'system' | 'more'
export type Density = 'comfortable' | 'compact'

/** Of the size that the browser is set to. */
export type TextSize = '87.5%' | '100%' | '112.5%' | '125%'

export interface AppearanceSettings {
  theme: Theme
  contrast: Contrast
  density: Density
  textSize: TextSize
}

const KEY = 'linnet.theme'
const DEFAULT: AppearanceSettings = {
  theme: 'system',
  contrast: 'system',
  density: 'comfortable',
  textSize: '100%',
}

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
  const { dataset, style } = document.documentElement
  dataset['theme'] = appearance.theme
  dataset['contrast'] = appearance.contrast
  dataset['density'] = appearance.density
  style.fontSize = appearance.textSize
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
