/** How a browser is started. */
export interface LaunchOptions {
  width: number
  height: number
  /** Replaces the browser's own `navigator.userAgent` and `User-Agent`. */
  userAgent?: string
}

/**
 * A running browser that accepts the commands of W3C WebDriver, one at a time: Firefox on its Marionette socket,
 * WebKit through a driver's HTTP interface; names and arguments are the same.
 */
export interface Driver {
  /** Rejects with the WebDriver error code, such as `stale element reference`, at the start of the message. */
  send<Result>(command: Command, parameters?: Record<string, unknown>): Promise<Result>
  /** Ends the browser and deletes its data. */
  end(): Promise<void>
}

/** Each command by its Marionette name, with its HTTP method and its path below the session's. */
export const COMMANDS = {
  Navigate: ['POST', 'url'],
  SetWindowRect: ['POST', 'window/rect'],
  NewWindow: ['POST', 'window/new'],
  SwitchToWindow: ['POST', 'window'],
  CloseWindow: ['DELETE', 'window'],
  GetWindowHandle: ['GET', 'window'],
  ExecuteScript: ['POST', 'execute/sync'],
  ElementClick: ['POST', 'element/{id}/click'],
  ElementSendKeys: ['POST', 'element/{id}/value'],
  PerformActions: ['POST', 'actions'],
  ReleaseActions: ['DELETE', 'actions'],
  TakeScreenshot: ['GET', 'screenshot'],
} as const

export type Command = keyof typeof COMMANDS
