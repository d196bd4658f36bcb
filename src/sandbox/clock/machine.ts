// Read once, when the module loads. A test that later installs fake timers or a fake date must not
// stop the sandbox.
export const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
export const machineTime: () => number = Date.now;
